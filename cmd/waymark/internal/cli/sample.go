package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/sampler"
)

// sampleFormats are those that sample has beside liveFormats.
var sampleFormats = []string{"folded", "pprof"}

// sampleFlags are the flags of sample.
type sampleFlags struct {
	root, least, out string
	rate             float64
	time             time.Duration
	text             callgraph.Text
}

func (a *app) sampleCommand() *cobra.Command {
	var s sampleFlags
	cmd := a.liveCmdWith(liveFlags{more: sampleFormats}, "sample [flags] PID", "show where a running program spends its time, by samples", 0, 0,
		func(set *pflag.FlagSet) {
			set.StringVar(&s.root, "root", "", "only calls below the function that `PATTERN` matches, named as in stack traces")
			set.Float64Var(&s.rate, "rate", sampler.DefaultRate, "`NUMBER` of samples per second")
			durationVar(set, &s.time, "for", 10*time.Second, "end after `DURATION`; 0: until ^C")
			set.StringVar(&s.least, "min-share", "1%", "text: leave out functions with a smaller `SHARE` of the time")
			set.IntVar(&s.text.Depth, "depth", 0, "text: show `N` levels of calls; 0 is no limit")
			set.StringVarP(&s.out, "output", "o", "", "write to `FILE` instead of the terminal")
		},
		func(c *live.Conn, f *liveFlags, _ []string) error { return a.sample(c, f.form, &s) })
	cmd.Long = `Sample reads the stacks of all goroutines many times and shows the tree of their calls: each
function's share of the time, and the part of it on a CPU. It also sees functions that were not
instrumented. Formats folded and pprof are for flame graphs and for go tool pprof.`
	return cmd
}

func (s *sampleFlags) check(form string) (err error) {
	if s.text.MinShare, err = parseShare(s.least); err != nil {
		return usagef("--min-share=%s: %w", s.least, err)
	}
	switch {
	case s.text.Depth < 0:
		return usagef("--depth=%d: want 0 or more", s.text.Depth)
	case form == "pprof" && s.out == "":
		return usagef("--format=pprof wants -o FILE: go tool pprof reads the file")
	}
	return nil
}

func (a *app) sample(c *live.Conn, form string, s *sampleFlags) error {
	if err := s.check(form); err != nil {
		return err
	}
	w := control.Watch{Kind: control.KindSamples, Root: s.root, Rate: s.rate}
	var tree callgraph.Tree
	_, err := a.follow(c, form, control.Request{Do: control.DoWatch, Watch: &w}, s.time, newsEvery, func(n *control.News) error {
		if n.Sampled == nil {
			return nil
		}
		err := json.Unmarshal(n.Sampled, &tree)
		names.MakePrintable(&tree)
		return err
	})
	switch {
	case err != nil:
		return err
	case tree.Root == nil:
		return errors.New("the program has ended the sampler: another command has reset it")
	case s.out == "":
		return s.write(a.stdout, form, &tree)
	}
	file, err := toFile(s.out, nil)
	if err != nil {
		return err
	}
	if err := s.write(file, form, &tree); err != nil {
		file.Discard()
		return err
	}
	return file.Commit()
}

func (s *sampleFlags) write(w io.Writer, form string, tree *callgraph.Tree) error {
	switch form {
	case "json":
		b, err := json.Marshal(tree)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", b)
		return err
	case "folded":
		return tree.WriteFolded(w)
	case "pprof":
		return tree.WritePprof(w)
	}
	s.text.Tree = tree
	_, err := s.text.WriteTo(w)
	return err
}
