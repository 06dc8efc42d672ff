package cover

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolexec"
)

// IsCall reports whether a command line is one with which the go command calls this
// command for a tool.
func IsCall(args []string) bool { return len(args) > 3 && args[0] == word }

// Main runs a tool for the go command and returns its exit status.
func Main(args []string) int { return toolexec.Status(call(args[1], args[2:])) }

func call(plan string, words []string) error {
	parsed, err := toolexec.Parse(words)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	t := &tool{Tool: parsed}
	if t.Name() != "cover" {
		return t.Become()
	}
	data, err := os.ReadFile(plan)
	if err != nil {
		return fmt.Errorf("-cover: %w; build again", err)
	}
	if err := json.Unmarshal(data, &t.plan); err != nil {
		return fmt.Errorf("-cover: %s: %w", plan, err)
	}
	if t.AsksVersion() {
		return t.Version(self, t.plan.Uncovered...)
	}
	return t.cover()
}

// What covers files is cover and this package.
//
//go:embed config.go mark.go plan.go rewriting.go tool.go
var self embed.FS

// A tool is the go command's cover.
type tool struct {
	*toolexec.Tool
	plan Plan
}

// cover runs cover with the go command's arguments, but on the user's own files, and adds waymark's
// code to the results.
func (t *tool) cover() error {
	flags := flag.NewFlagSet("cover", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	r := &rewriting{tool: t}
	config, list := flags.String("pkgcfg", "", ""), flags.String("outfilelist", "", "")
	flags.StringVar(&r.mode, "mode", "", "")
	flags.StringVar(&r.variable, "var", "", "")
	if err := flags.Parse(t.Args); err != nil {
		return fmt.Errorf("-cover: the go command calls its tool cover in a way that waymark does not know: %w", err)
	}
	if err := r.config.read(*config); err != nil {
		return err
	}
	if slices.Contains(t.plan.Uncovered, r.config.path()) {
		r.mode = "regonly" // as the go command itself has it for packages that can't be left out
	} else if !slices.ContainsFunc(flags.Args(), func(path string) bool { _, ok := t.plan.Files[path]; return ok }) {
		return t.Become()
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
