package cli

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// exportFormats are the values of --to.
var exportFormats = append(slices.Clone(export.Formats), export.Format{Name: "parquet"}, export.Format{Name: "xml", Write: writeXML})

func exportNames() (names []string) {
	for _, f := range exportFormats {
		names = append(names, f.Name)
	}
	return names
}

func (a *app) exportCommand() *cobra.Command {
	var filter filterFlags
	var to, out string
	var goroutines bool
	cmd := &cobra.Command{
		Use: "export [flags] FILE...", Short: "write recordings in the formats of other programs", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			names := exportNames()
			i := slices.Index(names, to)
			if i < 0 {
				return usagef("--to=%s: want one of %s%s", to, strings.Join(names, ", "), pattern.IsIt(to, names, 1))
			}
			if out == "" {
				return usagef("export: want a file to write to: -o FILE, or -o - for standard output")
			}
			switch {
			case goroutines && to != "pprof":
				return usagef("--goroutines: want --to pprof with it; other formats always or never have goroutines")
			case goroutines && filter.shorter > 0:
				return usagef("--goroutines: can't be combined with --without-shorter")
			}
			only, err := filter.filter()
			if err != nil {
				return err
			}
			format := exportFormats[i]
			if to == "parquet" {
				if a.parts == nil {
					return a.inFull("--to parquet")
				}
				format.Write = a.parts.Parquet
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				return a.export(set, files, &format, out, &filter, only, goroutines)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "`FORMAT`: "+strings.Join(exportNames(), ", "))
	flags.StringVarP(&out, "output", "o", "", "`FILE` to write to, - for standard output; otlp: or the URL of a receiver; ctf: a folder")
	flags.BoolVar(&goroutines, "goroutines", false, "with --to pprof: samples have their goroutine as a label, as in 18 or 4711/18; takes longer")
	config.Mark(flags, config.IsOutput, "output")
	filter.define(flags, showsCalls)
	filter.definePaths(flags, "write calls of functions that match `PATTERN`, and all calls below them", "write calls of functions that match `PATTERN`, and the calls around them")
	return cmd
}

// export writes the recordings of a set to a file, which is there only if it is complete and has
// calls.
func (a *app) export(set *tracefile.Set, files []string, to *export.Format, name string, filter *filterFlags, only recording.Filter, goroutines bool) error {
	if err := only.Check(set); err != nil {
		return err
	}
	out := &export.Output{Writer: a.stdout}
	if name == "-" && to.Folder() {
		return usagef("-o -: %s is a folder: want its name", to.Name)
	}
	options := export.Options{Goroutines: goroutines}
	if name != "-" {
		var err error
		if out, err = to.Create(name, inputsOf(set, files)); errors.Is(err, export.ErrInput) {
			return usagef("-o %w: choose another name", err)
		} else if errors.Is(err, export.ErrURL) || errors.Is(err, export.ErrFolder) {
			return usagef("-o %w", err)
		} else if err != nil {
			return err
		}
		options.Beside, options.Sink = out.Beside, out.Sink
	}
	w := &failing{Writer: out}
	var done func()
	options.Progress, done = a.progress()
	read, err := to.Write(w, set, &only, options)
	done()
	if err := cmp.Or(w.err, out.Failed()); err != nil {
		out.Discard()
		return err
	}
	if read == nil {
		out.Discard()
		return err
	}
	calls := uint64(0)
	for _, r := range read {
		calls += r.Calls
	}
	a.note(recording.Lacks(read)...)
	if open := recording.Sum(read).Open; open > 0 {
		a.note(units.Things(open, "call") + " not ended, written up to the end")
	}
	notes, missed := filter.missed(set, calls, showsCalls, func() (int64, error) { return filter.longest(set) })
	a.note(notes...)
	if missed != nil {
		out.Discard()
		return errors.Join(append(damage(set, err), missed)...)
	}
	return errors.Join(append(damage(set, err), out.Commit())...)
}

// inputsOf returns the files that are read.
func inputsOf(set *tracefile.Set, files []string) []string {
	inputs := slices.Clone(files)
	for _, p := range set.Processes {
		for _, part := range p.Parts() {
			inputs = append(inputs, part.Path())
		}
	}
	return inputs
}

// writeXML writes the traces of recordings as files of actions.
func writeXML(w io.Writer, set *tracefile.Set, filter *recording.Filter, _ export.Options) ([]recording.Summary, error) {
	_, read, err := traces.WriteXML(w, set, filter, traces.Options{Root: filter.Root}, nil)
	return read, err
}
