package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

func (a *app) rewriteCommand() *cobra.Command {
	var f buildFlags
	var out string
	return a.buildCmd("rewrite [--flags] [go build flags] -o DIR [packages]",
		"write the rewritten sources for reading", "o", mixed,
		func(set *pflag.FlagSet) {
			f.define(set)
			set.BoolVar(&f.registerOnly, "register-only", false, "only register functions, with their groups: they stay as they are, and can't be switched on")
			set.StringVarP(&out, "output", "o", "", "`DIR` to write to")
			config.Mark(set, config.IsOutput, "output")
		},
		func(line *commandLine) error {
			if out == "" && !f.dryRun {
				return usagef("rewrite: want -o DIR")
			}
			b, err := a.prepare(&f, line.flags, line.args, false)
			if err != nil || b == nil {
				return err
			}
			if err := writeSources(b, out); err != nil {
				return err
			}
			a.note(fmt.Sprintf("%d files written to %s", len(b.Files), out))
			return nil
		})
}

// writeSources writes the rewritten files below dir, in folders by import path.
func writeSources(b *build.Build, dir string) error {
	for _, f := range b.Files {
		src, err := os.ReadFile(f.Cached)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Package), filepath.Base(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, src, 0o644); err != nil {
			return err
		}
	}
	return nil
}
