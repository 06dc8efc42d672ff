package cover

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// IsCall reports whether a command line is one with which the go command calls this
// command for a tool.
func IsCall(args []string) bool { return len(args) > 3 && args[0] == word }

// Main runs a tool for the go command and returns its exit status.
func Main(args []string) int {
	err := call(args[1], args[2], args[3:])
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

func call(plan, words string, args []string) error {
	n, err := strconv.Atoi(words)
	if err != nil || n < 0 || n >= len(args) {
		return fmt.Errorf("%s: want a number of words and a tool", word)
	}
	t := &tool{prefix: args[:n], path: args[n]}
	args = args[n+1:]
	if strings.TrimSuffix(filepath.Base(t.path), ".exe") != "cover" {
		return become(t.command(args))
	}
	data, err := os.ReadFile(plan)
	if err != nil {
		return fmt.Errorf("-cover: %w; build again", err)
	}
	if err := json.Unmarshal(data, &t.plan); err != nil {
		return fmt.Errorf("-cover: %s: %w", plan, err)
	}
	if slices.Equal(args, []string{"-V=full"}) {
		return t.version(args)
	}
	return t.cover(args)
}

// A tool is the go command's cover.
type tool struct {
	prefix []string // the user's own -toolexec
	path   string
	plan   Plan
}

func (t *tool) command(args []string) []string {
	return slices.Concat(t.prefix, []string{t.path}, args)
}

func (t *tool) run(stdout io.Writer, args []string) error {
	words := t.command(args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	return cmd.Run()
}

// What covers files is cover and this package.
//
//go:embed config.go mark.go plan.go rewriting.go tool.go
var self embed.FS

// version answers when the go command asks for the tool's version, on which cached results depend.
// The answer stands at the end of the line: of a toolchain that isn't a release, the go command
// uses only the end.
func (t *tool) version(args []string) error {
	var out bytes.Buffer
	if err := t.run(&out, args); err != nil {
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
	fmt.Fprintf(h, "%q", t.plan.Uncovered)
	_, err = fmt.Printf("%s+waymark.%x\n", strings.TrimSpace(out.String()), h.Sum(nil)[:8])
	return err
}

// cover runs cover with the go command's arguments, but on the user's own files, and adds waymark's
// code to the results.
func (t *tool) cover(args []string) error {
	flags := flag.NewFlagSet("cover", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	r := &rewriting{tool: t}
	config, list := flags.String("pkgcfg", "", ""), flags.String("outfilelist", "", "")
	flags.StringVar(&r.mode, "mode", "", "")
	flags.StringVar(&r.variable, "var", "", "")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("-cover: the go command calls its tool cover in a way that waymark does not know: %w", err)
	}
	if err := r.config.read(*config); err != nil {
		return err
	}
	if slices.Contains(t.plan.Uncovered, r.config.path()) {
		r.mode = "regonly" // as the go command itself has it for packages that can't be left out
	} else if !slices.ContainsFunc(flags.Args(), func(path string) bool { _, ok := t.plan.Files[path]; return ok }) {
		return become(t.command(args))
	}
	results, err := readLines(*list)
	if err != nil {
		return err
	}
	if len(results) != 1+flags.NArg() {
		return fmt.Errorf("-cover: the go command wants %d results of %d files, in a way that waymark does not know", len(results), flags.NArg())
	}
	if r.dir, err = os.MkdirTemp(filepath.Dir(*list), "waymark-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	if err := r.open(flags.Args(), results[1:]); err != nil {
		return err
	}
	if err := r.run(*config, results[0], func(in *input) (string, string) { return in.read, in.out }); err != nil {
		return err
	}
	if err := r.runMarked(); err != nil {
		return err
	}
	return r.merge()
}
