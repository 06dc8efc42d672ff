package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/program/agent"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// tracesRunFlags are the flags of run that have traces gathered. They become settings of WAYMARK.
type tracesRunFlags struct{ set *pflag.FlagSet }

func (f *tracesRunFlags) define(set *pflag.FlagSet) {
	f.set = set
	defineFlags(set, setting.Traces)
}

// given reports whether traces are wanted.
func (f *tracesRunFlags) given() bool { return f.set.Changed("traces") }

// sends reports whether the traces are sent to a collector.
func (f *tracesRunFlags) sends() bool { return f.set.Changed("otlp") }

func (f *tracesRunFlags) check() error {
	if name := firstGiven(f.set, setting.Traces); name != "" && !f.given() {
		return usagef("run: --%s is for traces: choose the calls that begin them by --traces PATTERN", name)
	}
	keep, _ := f.set.GetStringArray("keep")
	for _, k := range keep {
		if err := agent.CheckKeep(k); err != nil {
			return usagef("--%w", err)
		}
	}
	if f.sends() {
		if err := agent.CheckOTLP(f.set.Lookup("otlp").Value.String()); err != nil {
			return usagef("--%w", err)
		}
	}
	return nil
}

// env returns the value of WAYMARK that makes a program gather traces, and save them in a file;
// without a name it prints them.
func (f *tracesRunFlags) env(file string) (string, error) {
	env := strings.TrimPrefix(given(f.set, flagsOf(setting.Traces)), ",")
	if file == "" {
		return env, nil
	}
	abs, err := filepath.Abs(file) // the program may begin elsewhere
	return env + ",o=" + escape(literal(abs)), err
}
