package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// A commandLine is the arguments of a command that builds, taken apart.
type commandLine struct {
	flags gocmd.Flags // one dash: the go command's
	args  []string    // packages, or what comes after the flags
	rest  []string    // what go test passes on to the tests
	help  bool
}

// atVersion reports whether packages are named at a version. Such a build knows nothing of the
// module in this folder, nor of its waymark.toml.
func (c *commandLine) atVersion(o order) bool {
	if o == programLast {
		return len(c.args) > 0 && gocmd.AtVersion(c.args[0])
	}
	return slices.ContainsFunc(c.args, gocmd.AtVersion)
}

// An order says how flags and other arguments mix.
type order int

const (
	mixed        order = iota // in any way: the others are packages
	programLast               // flags end at the first other argument: the rest is the program's
	packagesOnce              // as in go test: packages stand together, unknown flags end them
)

// behindEquals is an annotation of flags whose value is optional: the words that are values.
// Without an equals sign they would be taken for packages.
const behindEquals = "waymark_values_behind_equals"

// split takes arguments apart. Flags with two dashes are set's. Flags with one dash are the go
// command's, except for those in own, which are set's shorthands. With packagesOnce the tests get
// the flags that go test doesn't know, and all after -args. They also get the arguments behind
// such a flag, which may be its value, and those behind packages and a flag.
func split(args []string, set *pflag.FlagSet, own string, o order) (*commandLine, error) {
	c := new(commandLine)
	var ours []string
	ended := false // there can be no packages any more
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-h" || arg == "--help" || arg == "-help":
			c.help = true
		case arg == "--":
			c.args = append(c.args, args[i+1:]...)
			i = len(args)
		case strings.HasPrefix(arg, "--"):
			name, _, hasValue := strings.Cut(arg[2:], "=")
			flag := set.Lookup(name)
			if flag == nil {
				return nil, unknownBuildFlag(set, arg, name)
			}
			ours = append(ours, arg)
			if !hasValue && flag.NoOptDefVal == "" {
				if i++; i == len(args) {
					return nil, usagef("flag %s needs a value", arg)
				}
				ours = append(ours, args[i])
			}
			if !hasValue && i+1 < len(args) && slices.Contains(flag.Annotations[behindEquals], args[i+1]) {
				return nil, usagef("%s %s: a value of %[1]s stands behind an equals sign, %[1]s=%[2]s; for the packages %[2]s, %[1]s=%[3]s %[2]s", arg, args[i+1], flag.NoOptDefVal)
			}
			if !hasValue && flag.NoOptDefVal == build.Everything && i+1 < len(args) && isFunction(args[i+1]) {
				return nil, usagef("%s %s: a pattern stands behind an equals sign, %[1]s=%[2]s", arg, args[i+1])
			}
		case len(arg) == 2 && arg[0] == '-' && strings.Contains(own, arg[1:]):
			if i++; i == len(args) {
				return nil, usagef("flag %s needs a value", arg)
			}
			ours = append(ours, arg, args[i])
		case o == packagesOnce && arg == "-args":
			if len(c.rest) == 0 || c.rest[0] != "-args" {
				c.rest = append(c.rest, arg)
			}
			c.rest = append(c.rest, args[i+1:]...)
			i = len(args)
		case o == packagesOnce && strings.HasPrefix(arg, "-") && len(arg) > 1 && !gocmd.KnownToTest(arg):
			ended = true
			c.rest = append(c.rest, arg)
		case o != packagesOnce && strings.HasPrefix(arg, "-") && len(arg) > 1 && !gocmd.KnownToBuild(arg) && lookup(set, arg) != nil:
			return nil, usagef("unknown flag %s: waymark's flags have two dashes: -%[1]s", arg)
		case o == programLast && strings.HasPrefix(arg, "-") && len(arg) > 1 && !gocmd.KnownToBuild(arg):
			// Whether the next argument is its value is not known: that may be a number, as processes have.
			return nil, usagef("unknown flag %s: neither waymark nor go build has it; the program's own flags follow its package: waymark %s . %[1]s", arg, set.Name())
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			ended = ended || len(c.args) > 0
			c.flags = append(c.flags, arg)
			if gocmd.TakesValue(arg) {
				if i++; i == len(args) {
					return nil, usagef("flag %s needs a value", arg)
				}
				c.flags = append(c.flags, args[i])
			}
		case o == programLast:
			c.args = append(c.args, args[i:]...)
			i = len(args)
		case o == packagesOnce && ended:
			if len(c.rest) == 0 {
				c.rest = []string{"-args"} // lest it be taken for a package
			}
			c.rest = append(c.rest, arg)
		default:
			c.args = append(c.args, arg)
		}
	}
	if err := set.Parse(ours); err != nil {
		return nil, valueError(err)
	}
	return c, nil
}

// lookup returns the flag that an argument with one dash or two names, nil if there is none.
func lookup(set *pflag.FlagSet, arg string) *pflag.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return set.Lookup(name)
}

// buildCmd makes a command that builds. Its flags are parsed by split.
func (a *app) buildCmd(use, short, own string, o order, define func(*pflag.FlagSet), run func(*commandLine) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, DisableFlagParsing: true, DisableFlagsInUseLine: true}
	define(cmd.Flags())
	defineConfig(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		line, err := split(args, cmd.Flags(), own, o)
		if err != nil {
			return err
		}
		if line.help {
			return cmd.Help()
		}
		if !line.atVersion(o) || cmd.Flags().Changed("config") {
			dir, _ := line.flags.Lookup("C")
			if err := a.configure(cmd, dir); err != nil {
				return err
			}
		}
		return located(cmd.Flags(), run(line))
	}
	return cmd
}

// isFunction reports whether an argument can't be a package or a file, but may be a pattern for
// functions, as main.work or cache.(*LRU).Get.
func isFunction(arg string) bool {
	if strings.Contains(arg, ".(*") {
		return true
	}
	pkg, function, ok := strings.Cut(arg, ".")
	if !ok || pkg == "" || strings.ContainsAny(arg, "/\\@") || strings.HasSuffix(arg, ".go") || strings.HasPrefix(function, ".") {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}

// optionalValue is how pflag prints a flag whose value may be left out.
var optionalValue = regexp.MustCompile(`(--[a-z-]+) (\S+)\[=[^]]*\]`)

// optional writes such flags as users do: --args[=PATTERN].
func optional(usage string) string {
	return optionalValue.ReplaceAllStringFunc(usage, func(text string) string {
		as := optionalValue.ReplaceAllString(text, "$1[=$2]")
		return as + strings.Repeat(" ", len(text)-len(as))
	})
}
