package viewer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Editor returns the command that opens a line of a file in the user's editor, which VISUAL or EDITOR
// names.
func Editor(file string, line int) (*exec.Cmd, error) {
	name := os.Getenv("VISUAL")
	if name == "" {
		name = os.Getenv("EDITOR")
	}
	words := strings.Fields(name)
	if len(words) == 0 {
		return nil, errors.New("neither VISUAL nor EDITOR is set: set one to your editor, as in EDITOR=vi")
	}
	if file == "" {
		return nil, errors.New("the recording does not say where the function is")
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("%w: the program was built elsewhere, or with -trimpath", err)
	}
	at := file + ":" + strconv.Itoa(line)
	switch program := strings.TrimSuffix(filepath.Base(words[0]), ".exe"); {
	case slices.Contains([]string{"code", "code-insiders", "codium", "cursor"}, program):
		words = append(words, "-g", at)
	case slices.Contains([]string{"subl", "zed", "hx", "helix"}, program):
		words = append(words, at)
	default:
		words = append(words, "+"+strconv.Itoa(line), file)
	}
	return exec.Command(words[0], words[1:]...), nil
}
