// Package toolexec stands in for one tool of the go command, as its -toolexec lets it: it runs the others
// as they are.
package toolexec

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Tool is one that the go command runs.
type Tool struct {
	prefix []string // of another -toolexec
	path   string
	Args   []string
}

// Parse returns the tool of a command line: the number of words of another -toolexec, these, the path of
// the tool and its arguments.
func Parse(words []string) (*Tool, error) {
	n, err := strconv.Atoi(words[0])
	if words = words[1:]; err != nil || n < 0 || n >= len(words) {
		return nil, errors.New("want a number of words and a tool")
	}
	return &Tool{words[:n], words[n], words[n+1:]}, nil
}

// Words returns the words that Parse takes before the path of the tool. outer are those of another
// -toolexec, which gets the tools from this one.
func Words(outer []string) []string { return append([]string{strconv.Itoa(len(outer))}, outer...) }

// Name returns the tool's name, as "link".
func (t *Tool) Name() string { return strings.TrimSuffix(filepath.Base(t.path), ".exe") }

func (t *Tool) words(args []string) []string { return slices.Concat(t.prefix, []string{t.path}, args) }

// Become runs the tool as it is called, if possible in place of this process.
func (t *Tool) Become() error { return become(t.words(t.Args)) }

// Run runs the tool with some arguments.
func (t *Tool) Run(stdout io.Writer, args ...string) error {
	words := t.words(args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	return cmd.Run()
}

// AsksVersion reports whether the go command asks for the tool's version, on which cached results depend.
func (t *Tool) AsksVersion() bool { return slices.Equal(t.Args, []string{"-V=full"}) }

// Version answers that with the tool's own version and a hash of what stands in for it: files of source,
// and more. The hash is at the end of the line: of a toolchain that isn't a release, the go command uses
// only the end.
func (t *Tool) Version(source fs.FS, more ...string) error {
	var out bytes.Buffer
	if err := t.Run(&out, t.Args...); err != nil {
		return err
	}
	h := sha256.New()
	entries, err := fs.ReadDir(source, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(source, e.Name())
		if err != nil {
			return err
		}
		h.Write(text)
	}
	fmt.Fprintf(h, "%q", more)
	_, err = fmt.Printf("%s+waymark.%x\n", strings.TrimSpace(out.String()), h.Sum(nil)[:8])
	return err
}

// Status returns the exit status for an error, which it prints unless it is that of a tool: the tool has
// said why.
func Status(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1)
	}
	fmt.Fprintf(os.Stderr, "waymark: %v\n", err)
	return 1
}
