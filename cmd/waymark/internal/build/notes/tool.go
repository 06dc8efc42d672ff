package notes

import (
	"embed"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolexec"
)

// word is the first argument of this command when the go command calls it.
const word = "linked"

// Words returns the words of the go command's -toolexec by which it calls the command at path for
// each of its tools. outer is another such prefix, the user's own or this command's for another
// purpose, which gets the tools from this one.
func Words(path string, outer []string) []string {
	return append([]string{path, word}, toolexec.Words(outer)...)
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
func Main(args []string) int { return toolexec.Status(call(args[1:])) }

func call(words []string) error {
	tool, err := toolexec.Parse(words)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", word, err)
	case tool.Name() != "link":
		return tool.Become()
	case tool.AsksVersion():
		return tool.Version(self)
	}
	if err := tool.Run(os.Stdout, tool.Args...); err != nil {
		return err
	}
	out, executable := output(tool.Args)
	if !executable {
		return nil
	}
	if _, err := Add(out); err != nil {
		return fmt.Errorf("--usdt: %w", err)
	}
	return nil
}

// What completes programs is link and this package.
//
//go:embed add.go elf.go tool.go
var self embed.FS

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
