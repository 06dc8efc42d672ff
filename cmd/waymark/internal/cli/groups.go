package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/manifest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/internal/pattern"
)

func (a *app) groupsCommand() *cobra.Command {
	var f buildFlags
	var out, format string
	var timing bool
	return a.buildCmd("groups [--flags] [go build flags] [-o FILE] [packages]",
		"list the groups of functions, and their members", "o", mixed,
		func(set *pflag.FlagSet) {
			f.define(set)
			set.StringVarP(&out, "output", "o", "", "`FILE` to write to; default: standard output")
			set.StringVar(&format, "format", manifest.Formats[0], "`FORMAT`: "+strings.Join(manifest.Formats, ", "))
			set.BoolVar(&timing, "timing", false, "list the timers and timer groups that package timing makes of them instead")
			config.Mark(set, config.IsOutput, "output")
		},
		func(line *commandLine) error {
			if !slices.Contains(manifest.Formats, format) {
				return usagef("groups: --format %s: want %s%s", format, strings.Join(manifest.Formats, ", "), pattern.IsIt(format, manifest.Formats, 1))
			}
			b, err := a.prepare(&f, line.flags, line.args, false)
			if err != nil || b == nil {
				return err
			}
			var tests *build.Build
			if b.Version == "" { // else the go command builds no tests
				quiet := f
				quiet.verbose = 0 // what is done has been said
				if tests, err = a.prepare(&quiet, line.flags, line.args, true); err != nil {
					if errors.As(err, new(directive.Diagnostics)) {
						return err
					}
					a.note(fmt.Sprintf("without the functions of tests: %v", err))
				}
			}
			m, err := manifest.Of(b, tests)
			if err != nil {
				return err
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return m.Write(w, format, dir) }
			if timing {
				write = func(w io.Writer) error { return m.Timing().Write(w, format) }
			}
			if out == "" {
				return write(a.stdout)
			}
			var text bytes.Buffer
			if err := write(&text); err != nil {
				return err
			}
			return os.WriteFile(out, text.Bytes(), 0o666)
		})
}
