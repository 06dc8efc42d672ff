package agent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// An output says how reports are written and where to. They are text or json, on stderr, a
// descriptor that the program was given, or at the end of a file.
type output struct {
	JSON bool
	Path string // with placeholders; empty: a descriptor
	FD   int    // 0: stderr

	file identity // what the descriptor was when the program began
}

// set reads text, json, text:TO or json:TO, where TO is a file or the number of a descriptor.
func (o *output) set(s *setting.Setting, key, value string) error {
	form, to, _ := strings.Cut(value, ":")
	if form != "text" && form != "json" {
		return &setting.Error{Key: key, Value: value, Want: s.Want}
	}
	*o = output{JSON: form == "json"}
	if n, err := strconv.Atoi(to); err == nil {
		if o.FD = n; n < 1 {
			return fmt.Errorf("%s=%s: want a descriptor above 0", key, value)
		}
		return nil
	}
	o.Path = to
	return checkPath(key, to)
}

// write writes a report whole.
func (o *output) write(b []byte) error {
	switch {
	case o.Path != "":
		return appendFile(o.Path, b)
	case o.FD != 0:
		if now, err := identify(o.FD); err != nil || now != o.file {
			return fmt.Errorf("descriptor %d isn't what it was when the program began", o.FD)
		}
		return writeTo(o.FD, b)
	}
	console.Print(b)
	return nil
}

// open makes sure that the program was given the descriptor: else it would become some file of the
// program's.
func (o *output) open() (err error) {
	if o.FD != 0 {
		if o.file, err = identify(o.FD); err != nil {
			return fmt.Errorf("descriptor %d is not open: %w", o.FD, err)
		}
	}
	return nil
}
