package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/seen"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// seenFormats are the values of --format of seen.
var seenFormats = []string{"text", "json", "csv"}

// defaultSeen is the file that a running program notes first calls in, unless it is told another one.
const defaultSeen = "waymark.seen"

// seenFlags are the flags of seen.
type seenFlags struct {
	dir, out string
	time     time.Duration

	include, exclude []string
	never, tests     bool
	form, cover      string

	included, excluded *pattern.Set
}

func (a *app) seenCommand() *cobra.Command {
	var f seenFlags
	cmd := &cobra.Command{
		Use: "seen [flags] FILE... | PID", Short: "function coverage: list the functions that were called, and those that never were",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("seen: want a file of a program with WAYMARK=seen, or a process id: waymark %s", cmd.Use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := f.check(); err != nil {
				return err
			}
			set := cmd.Flags()
			if runs := set.Changed("for") || set.Changed("dir") || set.Changed("output"); runs || len(files) == 1 && a.namesProcess(files[0]) || isProcess(files[0]) {
				if len(files) > 1 {
					return usagef("seen: want one running program: %s", files[1])
				}
				return a.seenLive(files[0], &f)
			}
			return a.seen(files, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.include, "include", nil, "show functions that match `PATTERN` (repeatable)")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "don't show functions that match `PATTERN` (repeatable)")
	flags.BoolVar(&f.never, "never", false, "show functions that were never called")
	flags.BoolVar(&f.tests, "tests", false, "show the tests that call each function; ?: other tests ran at the same time")
	flags.StringVar(&f.form, "format", "text", "`FORMAT`: text, json or csv")
	flags.StringVar(&f.cover, "cover", "", "write a coverage profile for go tool cover to `FILE`, and no list")
	flags.StringVarP(&f.out, "output", "o", defaultSeen, "of a running program: `FILE` in which it notes first calls, if it doesn't yet")
	durationVar(flags, &f.time, "for", 0, "of a running program, PID or its name: list after `DURATION`, or ^C")
	flags.StringVar(&f.dir, "dir", "", "of a running program, whose socket is in `DIR`")
	config.Mark(flags, config.IsPattern, "include", "exclude")
	config.Mark(flags, config.IsOutput, "output")
	cmd.Long = `Seen reads the files that programs with WAYMARK=seen write while they run. With waymark seen PID a
running program of waymark build begins to note first calls, until waymark reset. This costs as much
as tracing that is off.`
	return cmd
}

func (f *seenFlags) check() error {
	if !slices.Contains(seenFormats, f.form) {
		return usagef("--format=%s: want text, json or csv%s", f.form, pattern.IsIt(f.form, seenFormats, 1))
	}
	if f.cover != "" && (f.never || f.tests) {
		return usagef("--cover with --never or --tests: a profile has the functions that were called, and no tests")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var errs []error
	compile := func(name string, patterns []string) *pattern.Set {
		set, err := pattern.CompileSet(patterns, dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", name, err))
		}
		return set
	}
	f.included, f.excluded = compile("include", f.include), compile("exclude", f.exclude)
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	return nil
}

// seenLive has a running program note first calls, and lists them after a time.
func (a *app) seenLive(process string, f *seenFlags) error {
	path, err := filepath.Abs(f.out)
	if err != nil {
		return err
	}
	c, err := live.Connect(process, f.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := c.Ask(control.Request{Do: control.DoSeen, Path: path})
	if err != nil {
		return err
	}
	if live.IsRemote(process) {
		return a.writtenThere("text", answer.Change.Path)
	}
	a.note("first calls are noted in " + names.Printable(answer.Change.Path))
	if f.time > 0 {
		ctx, stop := interrupted(f.time)
		err := gone(ctx, c)
		stop()
		if err != nil { // what it has noted is there
			a.note(err.Error())
		}
	}
	file, _, err := c.Named(answer.Change.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	return a.seen([]string{file.Name()}, f)
}

func (a *app) seen(files []string, f *seenFlags) error {
	s, err := seen.Read(files)
	if len(s.Builds) == 0 {
		return err
	}
	list, notes, selectErr := f.choose(s)
	if selectErr != nil {
		return selectErr
	}
	if f.tests && !s.Tested {
		notes = append(notes, "no test's calls are in the files: waymark test --seen DIR writes such files")
	}
	if writeErr := a.writeSeen(s, list, f); writeErr != nil {
		return errors.Join(writeErr, err)
	}
	a.note(notes...)
	if show := between(f.included, f.excluded); show != nil && !slices.ContainsFunc(s.Funcs, func(fn *seen.Func) bool { return show(&fn.Func) }) {
		err = errors.Join(err, errors.New("no function is left by --include and --exclude"))
	}
	if programs := s.Programs(); len(programs) > 1 {
		a.note("the files are of several programs, " + strings.Join(programs, ", ") + ": a function was called if one of them called it")
	}
	if n := len(s.Builds); n > 1 {
		some := len(s.Select(func(fn *seen.Func) bool { return !s.Everywhere(fn) }))
		a.note(fmt.Sprintf("the files are of %d builds; %s not in all of them", n, units.Things(uint64(some), "function")))
	}
	if s.Unwatched > 0 {
		a.note(fmt.Sprintf("%s not listed: p or x of WAYMARK left them out", units.Things(uint64(s.Unwatched), "function")))
	}
	if text := s.LeftOut.String(); text != "" {
		a.note(text)
	}
	return err
}

// choose returns the functions that the flags choose, and lines about patterns that match none.
func (f *seenFlags) choose(s *seen.Set) (list []*seen.Func, notes []string, err error) {
	var packages []pattern.Package
	var names []string
	for i, fn := range s.Funcs {
		if i == 0 || s.Funcs[i-1].Package != fn.Package {
			packages = append(packages, pattern.Package{Path: fn.Package})
		}
		names = append(names, pattern.Of(&fn.Func).Names()...)
	}
	var errs []error
	for _, patterns := range []*pattern.Set{f.included, f.excluded} {
		if !patterns.Empty() {
			patterns.Resolve(packages)
		}
	}
	show := between(f.included, f.excluded)
	list = s.Select(func(fn *seen.Func) bool {
		return (show == nil || show(&fn.Func)) && (!f.never || !fn.Called)
	})
	for i, patterns := range []*pattern.Set{f.included, f.excluded} {
		if patterns.Empty() {
			continue
		}
		errs = append(errs, patterns.Ambiguous()...)
		for _, p := range patterns.Unmatched() {
			notes = append(notes, "--"+[]string{"include", "exclude"}[i]+" "+p+" matches no function of the files"+near(p, names, absent{LeftOut: s.LeftOut}))
		}
	}
	if len(errs) > 0 {
		return nil, nil, usageError{errors.Join(errs...)}
	}
	return list, notes, nil
}

// writeSeen prints the functions, or writes the profile.
func (a *app) writeSeen(s *seen.Set, list []*seen.Func, f *seenFlags) error {
	if f.cover != "" {
		return a.writeProfile(s.Files(), list, f.cover)
	}
	switch f.form {
	case "json":
		return seen.WriteJSON(a.stdout, s, list)
	case "csv":
		if f.tests {
			return seen.WriteTestsCSV(a.stdout, list)
		}
		return seen.WriteCSV(a.stdout, list)
	}
	return seen.WriteText(a.stdout, s, list, f.tests)
}

func (a *app) writeProfile(files []string, list []*seen.Func, path string) error {
	out, err := toFile(path, files)
	if err != nil {
		return err
	}
	left, err := seen.WriteCover(out, list)
	if err != nil {
		out.Discard()
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if left > 0 {
		a.note(units.Things(uint64(left), "function") + " not in the profile: the program was built by a waymark that did not note where functions end")
	}
	return nil
}
