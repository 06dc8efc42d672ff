package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// isProcess reports whether an argument is a process id, or the address of a process.
func isProcess(arg string) bool {
	return live.IsRemote(arg) || arg != "" && strings.Trim(arg, "0123456789") == ""
}

// namesProcess reports whether an argument of a command that also takes files means a process. All
// such commands have this one rule: an id or an address means a process. The name of a program that
// listens does so too, unless waymark has written the file of that name. An argument with a slash
// is a file.
func (a *app) namesProcess(arg string) bool {
	if isProcess(arg) {
		return true
	}
	if filepath.Base(arg) != arg || written(arg) || !live.Runs(arg) {
		return false
	}
	if _, err := os.Stat(arg); err == nil {
		a.note(arg + " is taken for the program that runs: the file is ." + string(filepath.Separator) + arg)
	}
	return true
}

// written reports whether a file is one that waymark has written: a recording, or a seen file.
func written(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe may wait
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, format.HeaderSize)
	if _, err := io.ReadFull(f, b); err != nil {
		return false
	}
	return !errors.Is(format.CheckHeader(b), format.ErrNotTrace) || strings.HasPrefix(string(b), format.SeenMagic)
}
