package cli

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// recordFlags are the flags of commands that record.
type recordFlags struct {
	set    *pflag.FlagSet
	config recorder.Config // what the settings say, after check
}

// Budgets of commands that were not given one.
const (
	defaultBudget = "10%"
	noBudget      = "none"
)

// define defines the flags. budget is that of a command that was not given one.
func (f *recordFlags) define(set *pflag.FlagSet, budget string) {
	f.set = set
	defineFlag(set, setting.Find("budget"), budget)
	defineFlags(set, setting.Recording)
}

// check reads the flags, by the rules for WAYMARK.
func (f *recordFlags) check() error {
	f.config = recorder.Config{}
	for _, s := range flagsOf(setting.Recording) {
		if !f.set.Changed(s.Flag) && (s.Key != "budget" || f.ring()) { // its default is for what can have one
			continue
		}
		v, err := readFlag(f.set, s)
		if err != nil {
			return err
		}
		f.config.Set(s.Key, v)
	}
	err := f.config.Check()
	if errors.As(err, new(*setting.Error)) {
		return usagef("--%w", err)
	}
	return err
}

// beyond returns the name of the first flag that was given and isn't one of statistics, too; "" if none was.
func (f *recordFlags) beyond() string { return firstGiven(f.set, setting.Recording) }

// ring reports whether the newest calls are kept in memory.
func (f *recordFlags) ring() bool { return f.config.Overflow == rt.Ring }

// env returns the value of WAYMARK that makes a program record to path.
func (f *recordFlags) env(path string) string { return f.envFiles(literal(path)) }

// envFiles is env for a path with placeholders.
func (f *recordFlags) envFiles(path string) string {
	return "record" + given(f.set, flagsOf(setting.Recording)) + ",o=" + escape(path) + f.budget()
}

// live returns the settings that were given and that a running program takes, as WAYMARK has them.
func (f *recordFlags) live() string {
	return given(f.set, slices.DeleteFunc(flagsOf(setting.Recording), func(s *setting.Setting) bool { return !s.Live }))
}

// budget returns the setting of the command's own budget, "" if there is none or the user gave one.
func (f *recordFlags) budget() string {
	if !f.config.Budget.Given() || f.set.Changed("budget") {
		return ""
	}
	return ",budget=" + escape(f.config.Budget.Text)
}
