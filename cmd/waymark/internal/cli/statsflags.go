package cli

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/wire/setting"
)

// statsFlags are the flags of statistics, and of calls that are printed.
type statsFlags struct {
	set *pflag.FlagSet
	onlyFlag
}

// statisticsExt ends the names of the files that programs leave their numbers in.
const statisticsExt = ".stats"

func (f *statsFlags) define(set *pflag.FlagSet) {
	f.set = set
	defineFlags(set, setting.Statistics|setting.Printing)
	f.onlyFlag.define(set)
	set.Lookup("verbose").Usage += "; with --print only of the calls: 1 callers, which is the default there, 2 values, 3 positions"
}

func (f *statsFlags) check() error {
	if f.counts() && f.tree() {
		return usagef("--tree: calls that --calls-only counts have no callers: use one of them")
	}
	for _, key := range []string{"every", "verbose"} {
		if _, err := readFlag(f.set, setting.Find(key)); err != nil {
			return err
		}
	}
	return f.compile(f.set)
}

// first returns the name of the first flag that was given and that only statistics have, "" if none was.
func (f *statsFlags) first() string { return firstGiven(f.set, setting.Statistics) }

// tree reports whether the call tree is asked for.
func (f *statsFlags) tree() bool {
	on, _ := f.set.GetBool("tree")
	return on
}

// counts reports whether calls are counted only.
func (f *statsFlags) counts() bool {
	on, _ := f.set.GetBool("calls-only")
	return on
}

// prints reports whether calls are printed, which --verbose is of then.
func (f *statsFlags) prints() bool { return f.set.Changed("print") }

// printing returns the settings that have calls printed.
func (f *statsFlags) printing() string {
	list := flagsOf(setting.Printing)
	if f.prints() {
		list = append(list, setting.Find("verbose"))
	}
	return given(f.set, list) + f.onlyFlag.setting()
}

// env returns the value of WAYMARK that makes a program gather statistics, and leave them in dir.
func (f *statsFlags) env(dir string, rep *reportFlags) string {
	var b strings.Builder
	b.WriteString("stats,latest=" + escape(literal(filepath.Join(dir, "run-"))+"%p"+statisticsExt))
	if rep.set.Changed("top") {
		b.WriteString(",top=" + strconv.Itoa(rep.top))
	}
	if rep.full() {
		b.WriteString(",names=full")
	}
	return b.String() + given(f.set, flagsOf(setting.Statistics)) + f.printing()
}
