package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// recordFlags are the flags of commands that record. Their names are those of the
// settings of WAYMARK that they become.
type recordFlags struct {
	set    *pflag.FlagSet
	config recorder.Config // what the settings say, after check
}

// overflows are the values of the setting of that name, by rt.Overflow.
var overflows = []string{"block", "drop", "ring"}

// settings are the names of recordFlags, in the order in which they are passed on; objects, which is of
// statistics, too, comes behind them.
var settings = []string{"overflow", "buffers", "window", "dump-at-exit", "max-size", "rotate", "waiting"}

// Budgets of commands that were not given one.
const (
	defaultBudget = "10%"
	noBudget      = "none"
)

// define defines the flags. budget is that of a command that was not given one.
func (f *recordFlags) define(set *pflag.FlagSet, budget string) {
	f.set = set
	set.String("overflow", "block", "when the writer can't keep up: block or drop; or ring: keep the newest calls in memory until the program dies or dumps them")
	set.String("buffers", "", "`BYTES` of memory for buffers, as in 256MB or 256MiB (default 64MiB)")
	set.String("window", "", "of a ring, write the last `DURATION` only, as in 10s")
	set.Bool("dump-at-exit", false, "write the ring when the program ends well, too")
	defineWaiting(set, "record when goroutines run, are ready and wait, and for what")
	defineObjects(set)
	set.String("max-size", "", "end recording when the file has `BYTES`, as in 1GB")
	set.String("rotate", "", "at --max-size begin a new file, and keep the newest `N`")
	set.String("budget", budget, "demote the functions that cost most, so that tracing adds no more than `SHARE` to CPU time, as in 5%; their calls are counted; none: record all")
}

// check reads the flags, by the rules for WAYMARK.
func (f *recordFlags) check() error {
	f.config = recorder.Config{}
	var err error
	for _, name := range append(settings, "objects") {
		if flag := f.set.Lookup(name); flag.Changed && err == nil {
			_, err = f.config.Set(name, flag.Value.String())
		}
	}
	budget := f.set.Lookup("budget")
	if err == nil && (budget.Changed || !f.ring()) { // the default is for what can have one
		_, err = f.config.Set(budget.Name, budget.Value.String())
	}
	if err == nil {
		err = f.config.Check()
	}
	var wrong *recorder.SettingError
	if errors.As(err, &wrong) {
		meant := ""
		if wrong.Key == "overflow" {
			meant = pattern.IsIt(f.set.Lookup(wrong.Key).Value.String(), overflows, 1)
		}
		return usagef("--%w%s", err, meant)
	}
	return err
}

// first returns the name of the first flag that was given, "" if none was.
func (f *recordFlags) first() string { return firstGiven(f.set, settings) }

// firstGiven returns the name of the first of some flags that was given, "" if none was.
func firstGiven(set *pflag.FlagSet, names []string) string {
	for _, name := range names {
		if set.Lookup(name).Changed {
			return name
		}
	}
	return ""
}

// beyond returns the name of the first flag that was given and isn't one of statistics, too; "" if none was.
func (f *recordFlags) beyond() string {
	return firstGiven(f.set, slices.DeleteFunc(slices.Clone(settings), func(name string) bool { return name == "waiting" }))
}

// ring reports whether the newest calls are kept in memory.
func (f *recordFlags) ring() bool { return f.config.Overflow == rt.Ring }

// env returns the value of WAYMARK that makes a program record to path.
func (f *recordFlags) env(path string) string {
	return f.envFiles(strings.ReplaceAll(path, "%", "%%"))
}

// envFiles is env for a path with placeholders.
func (f *recordFlags) envFiles(path string) string {
	var b strings.Builder
	b.WriteString("record")
	setting := func(name, value string) { fmt.Fprintf(&b, ",%s=%s", name, escape(value)) }
	for _, name := range append(settings, "objects") {
		if flag := f.set.Lookup(name); flag.Changed || name == "overflow" {
			setting(name, flag.Value.String())
		}
	}
	setting("o", path)
	return b.String() + f.budget()
}

// ofStatistics returns the settings that statistics have, too.
func (f *recordFlags) ofStatistics() string {
	if waiting, _ := f.set.GetBool("waiting"); waiting {
		return ",waiting" + f.budget()
	}
	return f.budget()
}

// changed returns the settings that were given, as WAYMARK has them.
func (f *recordFlags) changed() string {
	var list []string
	for _, name := range append(settings[:len(settings):len(settings)], "budget") {
		if flag := f.set.Lookup(name); flag.Changed {
			list = append(list, name+"="+escape(flag.Value.String()))
		}
	}
	return strings.Join(list, ",")
}

// budget returns the setting of the budget, "" if there is none.
func (f *recordFlags) budget() string {
	if !f.config.Budget.Given() {
		return ""
	}
	return ",budget=" + escape(f.config.Budget.Text)
}

// escape makes a value one of WAYMARK.
func escape(value string) string { return strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(value) }
