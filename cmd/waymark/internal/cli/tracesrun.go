package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/internal/program/agent"
)

// tracesRunFlags are the flags of run that have traces gathered. They become settings of WAYMARK.
type tracesRunFlags struct {
	set   *pflag.FlagSet
	roots []string
	keep  []string
	out   string
}

func (f *tracesRunFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringArrayVar(&f.roots, "traces", nil, "instead of a report print the slowest traces, which begin with calls of functions that match `PATTERN` (repeatable)")
	set.StringArrayVar(&f.keep, "keep", nil, "with --traces keep `THESE`: slowest:N, failed, longer:DURATION, onein:N or all (repeatable; default slowest:20)")
	set.StringVar(&f.out, "traces-out", "", "with --traces save the traces in `FILE`, in XML, instead of printing them; waymark traces reads it")
	config.Mark(set, config.IsPattern, "traces")
	config.Mark(set, config.IsOutput, "traces-out")
}

// given reports whether traces are wanted.
func (f *tracesRunFlags) given() bool { return len(f.roots) > 0 }

func (f *tracesRunFlags) check() error {
	if name := firstGiven(f.set, []string{"keep", "traces-out"}); name != "" && !f.given() {
		return usagef("run: --%s is of traces: say by --traces PATTERN which calls begin them", name)
	}
	for _, k := range f.keep {
		if err := agent.CheckKeep(k); err != nil {
			return usagef("--%w", err)
		}
	}
	return nil
}

// env returns the value of WAYMARK that makes a program gather traces.
func (f *tracesRunFlags) env() string {
	var list []string
	for _, p := range f.roots {
		list = append(list, "traces="+escape(p))
	}
	for _, k := range f.keep {
		list = append(list, "keep="+escape(k))
	}
	if f.out != "" {
		path := f.out
		if abs, err := filepath.Abs(path); err == nil { // the program may begin elsewhere
			path = abs
		}
		list = append(list, "traces-out="+escape(strings.ReplaceAll(path, "%", "%%")))
	}
	return strings.Join(list, ",")
}
