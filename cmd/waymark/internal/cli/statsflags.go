package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

// statsFlags are the flags of statistics. Their names are those of the settings of WAYMARK that
// they become.
type statsFlags struct {
	set *pflag.FlagSet
	onlyFlag
}

// statisticsExt ends the names of the files that programs leave their numbers in.
const statisticsExt = ".stats"

// statsSettings are the names of statsFlags, in the order in which they are passed on.
var statsSettings = []string{"count", "histogram", "tree", "every", "objects"}

func (f *statsFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.Bool("count", false, "count calls only, and read no clock")
	set.Bool("histogram", false, "gather how durations are distributed, too: p50, p90, p99, p99.9")
	set.Bool("tree", false, "print the call tree: calls, total and self time of each path of callers")
	defineObjects(set)
	set.Int("every", 0, "print a report every `SECONDS`, too; 0 is never")
	set.StringArray("print", nil, "print beginning and end of the calls of functions that match `PATTERN`, with callers (repeatable)")
	set.Int("detail", 1, "of --print: 0 is a line for each event, 1 callers, too, 2 values, too, 3 positions, too")
	f.onlyFlag.define(set)
	config.Mark(set, config.IsPattern, "print")
}

func (f *statsFlags) check() error {
	if f.counts() && f.tree() {
		return usagef("--tree: calls that --count only counts have no callers: use one of them")
	}
	if n, _ := f.set.GetInt("every"); n < 0 || n > 1e6 {
		return usagef("--every=%d: want 0 to 1000000 seconds", n)
	}
	if n, _ := f.set.GetInt("detail"); n < 0 || n > 3 {
		return usagef("--detail=%d: want 0 to 3", n)
	}
	return f.compile(f.set)
}

// first returns the name of the first flag of statistics that was given, "" if none was.
func (f *statsFlags) first() string { return firstGiven(f.set, statsSettings) }

// given reports whether such a flag was given.
func (f *statsFlags) given() bool { return f.first() != "" }

// alone reports whether a flag was given that only statistics have.
func (f *statsFlags) alone() bool { return f.given() && f.first() != "objects" }

// tree reports whether the call tree is asked for.
func (f *statsFlags) tree() bool {
	on, _ := f.set.GetBool("tree")
	return on
}

// counts reports whether calls are counted only.
func (f *statsFlags) counts() bool {
	on, _ := f.set.GetBool("count")
	return on
}

// printing returns the settings that have calls printed.
func (f *statsFlags) printing() string {
	var b strings.Builder
	patterns, _ := f.set.GetStringArray("print")
	for _, p := range patterns {
		fmt.Fprintf(&b, ",t=%s", escape(p))
	}
	b.WriteString(f.onlyFlag.setting())
	if f.set.Lookup("detail").Changed {
		fmt.Fprintf(&b, ",d=%s", f.set.Lookup("detail").Value)
	}
	return b.String()
}

// env returns the value of WAYMARK that makes a program gather statistics, and leave them in dir.
func (f *statsFlags) env(dir string, rep *reportFlags) string {
	var b strings.Builder
	b.WriteString("stats,latest=" + escape(strings.ReplaceAll(filepath.Join(dir, "run-"), "%", "%%")+"%p"+statisticsExt))
	if rep.set.Changed("top") {
		b.WriteString(",top=" + strconv.Itoa(rep.top))
	}
	if rep.full() {
		b.WriteString(",names=full")
	}
	for _, name := range statsSettings {
		if flag := f.set.Lookup(name); flag.Changed {
			fmt.Fprintf(&b, ",%s=%s", name, escape(flag.Value.String()))
		}
	}
	return b.String() + f.printing()
}
