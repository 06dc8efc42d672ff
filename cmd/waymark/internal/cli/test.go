package cli

import (
	"errors"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

func (a *app) testCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var trace traceFlags
	var seen seenTestFlags
	var counts countFlags
	var affected affectedFlags
	var set *pflag.FlagSet
	return a.buildCmd("test [--flags] [go test flags] [packages]",
		"run tests with every function observable; --trace shows the calls of failed tests", "", packagesOnce,
		func(flags *pflag.FlagSet) {
			set = flags
			f.define(set)
			rec.define(set, defaultBudget)
			trace.define(set)
			seen.define(set)
			counts.define(set)
			affected.define(set)
		},
		func(line *commandLine) (failure error) {
			if err := errors.Join(rec.check(), trace.check(line.flags), seen.check(line.flags), counts.checkFlags(line.flags, trace.records() || seen.on()),
				affected.check(line.flags, seen.on(), trace.records() || counts.on())); err != nil {
				return err
			}
			if affected.on() {
				end, err := affected.gather(&seen)
				if err != nil {
					return err
				}
				defer func() {
					if err := end(); failure == nil {
						failure = err
					}
				}()
			}
			if trace.on != "" || seen.on() || counts.on() {
				f.widen(set)
			}
			if trace.on != "" {
				trace.widen(&f, set)
			}
			b, err := a.prepare(&f, line.flags, line.args, true)
			if err != nil || b == nil {
				return err
			}
			if trace.records() || seen.on() || counts.on() {
				all := append(b.Env.Settings(), line.flags...)
				if trace.records() {
					b.Flags = append(trace.stretch(all), b.Flags...)
				}
				if counts.on() { // so that the tests of a call are known
					b.Flags = append(gocmd.Flags{"-parallel=1"}, b.Flags...)
				}
				b.Flags = append(uncached(all), b.Flags...)
			}
			var chosen *choice
			if affected.on() {
				if chosen, err = a.choose(b, &affected, line.rest); err != nil {
					return err
				}
				if affected.list {
					chosen.say(a.stdout)
					a.note("would run " + chosen.summary())
					return nil
				}
			}
			goTest := func(packages []string, flags gocmd.Flags) *exec.Cmd {
				if packages == nil {
					packages = b.Args
				}
				one := *b
				one.Flags = append(slices.Clip(b.Flags), flags...)
				return b.Env.Command(append(one.Go("test", packages...), line.rest...)...)
			}
			cmd := goTest(nil, nil)
			// What doesn't compile is said on stderr, with -json on stdout.
			cmd.Stdin, cmd.Stdout = inherit(a.stdin), a.stdout
			errs := &buildErrors{w: a.stderr}
			stderr := newPositions(errs, cmd.Dir, b.Overlay(), b.Files)
			cmd.Stderr = stderr
			ended := func() {
				stderr.Flush()
				a.say(errs, b, &f)
			}
			if b.Flags.Bool("json") {
				stdout := newPositions(a.stdout, cmd.Dir, b.Overlay(), b.Files)
				defer stdout.Flush()
				cmd.Stdout = stdout
			}
			a.trace(&f, cmd)
			if seen.on() {
				cmd.Env = append(withoutWaymark(cmd.Environ()), "WAYMARK="+seen.setting())
				trace.more = "," + seen.setting()
			}
			if counts.on() {
				return a.countTests(cmd, &counts, ended)
			}
			if trace.records() {
				again := &rerun{app: a, flags: append(b.Env.Settings(), line.flags...), rec: &rec, trace: &trace, goCmd: func(pkg string, flags gocmd.Flags) *exec.Cmd {
					if pkg == "command-line-arguments" {
						return goTest(nil, flags)
					}
					return goTest([]string{pkg}, flags)
				}}
				return a.traceTests(cmd, &rec, &trace, again, ended)
			}
			if chosen != nil {
				if affected.base != "" {
					if affected.explain {
						chosen.say(a.stderr)
					}
					a.note("runs " + chosen.summary())
				}
				err := a.testAffected(chosen, seen.dir, func(packages []string, flags gocmd.Flags) *exec.Cmd {
					one := goTest(packages, flags)
					one.Stdin, one.Stdout, one.Stderr, one.Env = cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env
					return one
				})
				ended()
				return err
			}
			err = await(cmd)
			ended()
			return testStatus(err)
		})
}

// uncached returns the flag that makes the go command run tests whose result it knows. It returns
// nil if the user's flags say how often tests run.
func uncached(flags gocmd.Flags) gocmd.Flags {
	if _, ok := flags.Lookup("count"); ok {
		return nil
	}
	return gocmd.Flags{"-count=1"}
}

// testStatus turns the end of go test into that of this command.
func testStatus(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exitError(ended{exit.ProcessState}.status())
	}
	return err
}
