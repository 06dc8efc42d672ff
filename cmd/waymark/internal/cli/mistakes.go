package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// unknownCommand returns an error about an unknown command, with the nearest one.
func unknownCommand(root *cobra.Command, name string) error {
	if filepath.Ext(name) == filepath.Ext(defaultRecording) {
		return usagef("unknown command %s; is it waymark report %[1]s?", name)
	}
	var known []string
	for _, c := range root.Commands() {
		known = append(known, c.Name())
	}
	if meant := pattern.IsIt(name, known, 1); meant != "" {
		return usagef("unknown command %s%s", name, meant)
	}
	return usagef("unknown command %s; see waymark help", name)
}

// helpCommand is cobra's, except that it knows topics, and that help about an unknown command is an
// error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "print the help of a command, or of patterns or conditions",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && topics[args[0]] != "" {
				_, err := fmt.Fprintln(c.OutOrStdout(), strings.TrimPrefix(topics[args[0]], "\n"))
				return err
			}
			cmd, rest, err := root.Find(args)
			if len(args) > 0 && (err != nil || cmd == root || len(rest) > 0) {
				return unknownCommand(root, args[0])
			}
			return cmd.Help()
		},
	}
}

// formerly says what flags of earlier checkouts are now, of one command or of all.
var formerly = map[string]string{
	"run --count": "--calls-only", "load --count": "--limit", "traces --slowest": "--top", "top --once": "-n 1", "on --keep": "--stay", "trace --panics": "--on panic",
	"dump --text": "waymark info --blocks FILE", "tree --flat": "--format rows", "diff --alpha": "always 0.05", "--account": "--without, of the others,",
	"sample --min": "--min-share", "run --detail": "--verbose", "test --out": "--output", "run --traces-out": "--output", "--tracegen": "waymark rewrite --register-only", "--debug": "--verbose 4", "--work": "waymark rewrite -o DIR", "--min-size": "--all, or --include of a function by its name,",
}

// former returns what a flag of an earlier checkout is now, "" if there was none.
func former(command, name string) string {
	return cmp.Or(formerly[command+" --"+name], formerly["--"+name])
}

// flagError explains an error of cobra's about a command's flags, and names the nearest flag.
func flagError(cmd *cobra.Command, err error) error { return flagErrorOf(cmd.Flags(), err) }

// flagErrorOf is flagError for the flags of a command, whose name they have.
func flagErrorOf(set *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return valueError(err)
	}
	arg := "--" + unknown.GetSpecifiedName()
	// pflag takes a word with one dash for several flags.
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		arg = "-" + short
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if now := former(set.Name(), name); now != "" {
		return usagef("unknown flag %s: it is %s now", arg, now)
	}
	if set.Lookup(name) != nil {
		return usagef("unknown flag %s: waymark's flags have two dashes: --%s", arg, name)
	}
	meant := nearestFlag(set, name)
	if meant == "" {
		meant = "; see waymark -h"
		if set.Name() != "waymark" {
			meant = "; see waymark " + set.Name() + " -h"
		}
	}
	return usagef("unknown flag %s%s", arg, meant)
}

// unknownBuildFlag returns an error about an unknown flag with two dashes of a command that builds,
// with the nearest flag.
func unknownBuildFlag(set *pflag.FlagSet, arg, name string) error {
	if now := former(set.Name(), name); now != "" {
		return usagef("unknown flag %s: it is %s now", arg, now)
	}
	if gocmd.KnownToTest(name) {
		return usagef("unknown flag %s; is it %s? The go command's flags have one dash", arg, arg[1:])
	}
	if meant := nearestFlag(set, name); meant != "" {
		return usagef("unknown flag %s%s", arg, meant)
	}
	return usagef("unknown flag %s; the go command's flags have one dash", arg)
}

// nearestFlag asks whether the user meant the flag whose name is nearest.
func nearestFlag(set *pflag.FlagSet, name string) string {
	var known []string
	set.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := pattern.Nearest(name, known, 1); len(near) > 0 {
		return "; is it --" + near[0] + "?"
	}
	return ""
}

// valueError says what is wrong with the value of a flag.
func valueError(err error) error {
	var wrong *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing) && missing.GetFlag() != nil:
		return usagef("flag --%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &wrong):
		want := wanted[wrong.GetFlag().Value.Type()]
		if d, err := setting.ParseDuration(wrong.GetValue()); err == nil && d < 0 {
			want = "0 or more"
		}
		if want != "" {
			return usagef("--%s=%s: want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
		}
	}
	return usagef("%w", err)
}

// wanted says what values of flags are, by their types.
var wanted = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"uint64":   "a whole number, 0 or more",
	"duration": "a duration, as in 10us or 1.5s; a number is seconds",
}
