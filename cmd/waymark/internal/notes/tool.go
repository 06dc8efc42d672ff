package notes

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// word is the first argument of this command when the go command calls it.
const word = "linked"

// Words returns the words of the go command's -toolexec by which it calls the command at path for
// each of its tools. outer is another such prefix, the user's own or this command's for another
// purpose, which gets the tools from this one.
func Words(path string, outer []string) []string {
	return append([]string{path, word, strconv.Itoa(len(outer))}, outer...)
}

// IsCall reports whether a command line is one with which the go command calls this command for a
// tool.
func IsCall(args []string) bool {
	if len(args) < 3 || args[0] != word {
		return false
	}
	_, err := strconv.Atoi(args[1])
	return err == nil
}

// Main runs a tool for the go command and returns its exit status.
func Main(args []string) int {
	err := call(args[1], args[2:])
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1) // the tool has said why
	}
	fmt.Fprintf(os.Stderr, "waymark: %v\n", err)
	return 1
}

func call(words string, args []string) error {
	n, err := strconv.Atoi(words)
	if err != nil || n < 0 || n >= len(args) {
		return fmt.Errorf("%s: want a number of words and a tool", word)
	}
	tool := args[n]
	if strings.TrimSuffix(filepath.Base(tool), ".exe") != "link" {
		return become(args)
	}
	if slices.Equal(args[n+1:], []string{"-V=full"}) {
		return version(args)
	}
	if err := run(os.Stdout, args); err != nil {
		return err
	}
	out, executable := output(args[n+1:])
	if !executable {
		return nil
	}
	if _, err := Add(out); err != nil {
		return fmt.Errorf("--usdt: %w", err)
	}
	return nil
}

func run(stdout io.Writer, words []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	return cmd.Run()
}

// output returns the file that link writes, and reports whether it is a program: libraries have no
// notes.
func output(args []string) (path string, executable bool) {
	executable = true
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch strings.TrimPrefix(name, "-") {
		case "-o", "o":
			if path = value; value == "" && i+1 < len(args) {
				path = args[i+1]
			}
		case "-buildmode", "buildmode":
			executable = value == "exe" || value == "pie"
		}
	}
	return path, executable && path != ""
}

// What completes programs is link and this package.
//
//go:embed add.go elf.go tool.go
var self embed.FS

// version answers when the go command asks for the tool's version, on which cached results depend.
// The answer stands at the end of the line: of a toolchain that isn't a release, the go command
// uses only the end.
func version(words []string) error {
	var out bytes.Buffer
	if err := run(&out, words); err != nil {
		return err
	}
	h := sha256.New()
	entries, err := self.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, err := self.ReadFile(e.Name())
		if err != nil {
			return err
		}
		h.Write(src)
	}
	_, err = fmt.Printf("%s+waymark.notes.%x\n", strings.TrimSpace(out.String()), h.Sum(nil)[:8])
	return err
}
