// Package vetted has go vet see the user's own files where the compiler gets rewritten ones. go
// test -vet=all runs checks that find fault with what waymark adds, such as that a result with a
// lock is passed on. The go command's -toolexec calls this command for its tools. Only vet is
// another tool here.
package vetted

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolexec"
)

// word is the first argument of this command when the go command calls it.
const word = "vetted"

// A Plan says where the user's text is. Its keys are the path of the file that the compiler gets,
// and the path of the file that this one replaces. It has "" for a file that was generated.
type Plan map[string]string

// Words returns the words of the go command's -toolexec by which it calls the command at path for each of its
// tools. plan is a file with a Plan in JSON. outer is another -toolexec, which gets the tools from this one.
func Words(path, plan string, outer []string) []string {
	return append([]string{path, word, plan}, toolexec.Words(outer)...)
}

// IsCall reports whether a command line is one with which the go command calls this command for a tool.
func IsCall(args []string) bool { return len(args) > 3 && args[0] == word }

// Main runs a tool for the go command and returns its exit status.
func Main(args []string) int { return toolexec.Status(call(args[1], args[2:])) }

// What vets files is vet and this package.
//
//go:embed vetted.go
var self embed.FS

func call(planFile string, words []string) error {
	tool, err := toolexec.Parse(words)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", word, err)
	case tool.Name() != "vet":
		return tool.Become()
	case tool.AsksVersion():
		return tool.Version(self)
	}
	last := len(tool.Args) - 1
	if last < 0 || filepath.Ext(tool.Args[last]) != ".cfg" {
		return tool.Become() // it is asked for its flags
	}
	var plan Plan
	if err := read(planFile, &plan); err != nil {
		return fmt.Errorf("-vet: %w; build again", err)
	}
	config := make(map[string]json.RawMessage)
	if err := read(tool.Args[last], &config); err != nil {
		return fmt.Errorf("-vet: %w", err)
	}
	var dir string
	var files, own []string
	if err := errors.Join(json.Unmarshal(config["Dir"], &dir), json.Unmarshal(config["GoFiles"], &files)); err != nil {
		return fmt.Errorf("-vet: the go command calls its tool vet in a way that waymark does not know; test with -vet=off: %w", err)
	}
	if slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix(file, ".cgo1.go") }) {
		return tool.Become() // cgo has made them of the rewritten files, which need those that were generated
	}
	for _, file := range files {
		// With -cover vet gets what cover has written.
		if name, ok := strings.CutSuffix(filepath.Base(file), ".cover.go"); ok && filepath.Dir(file) != dir {
			file = filepath.Join(dir, name+".go")
		}
		if user, ok := plan[file]; !ok {
			own = append(own, file)
		} else if user != "" {
			own = append(own, user)
		}
	}
	if config["GoFiles"], err = json.Marshal(own); err != nil {
		return err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	if err := os.WriteFile(tool.Args[last], text, 0o666); err != nil {
		return fmt.Errorf("-vet: %w", err)
	}
	return tool.Become()
}

func read(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
