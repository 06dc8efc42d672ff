package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/affected"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// affectedFlags choose the tests that a change can reach.
type affectedFlags struct {
	base                  string
	files                 []string // maps: the first is written
	explain, list, verify bool
	set                   *pflag.FlagSet
}

func (f *affectedFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.base, "affected", "", "run only the tests that changes since `BASE` can reach: a git revision, or a map file")
	set.StringArrayVar(&f.files, "map", nil, "with --affected or --seen: keep what tests depend on in `FILE` (repeatable: others are only read; default with --affected: in the cache)")
	set.BoolVar(&f.explain, "explain", false, "with --affected: print a line for each test, why it runs or not")
	set.BoolVar(&f.list, "list", false, "with --affected: print the tests, and run none")
	set.BoolVar(&f.verify, "verify", false, "with --affected: run all tests, and say which the choice would have missed")
	config.Mark(set, config.IsOutput, "map")
}

// on reports whether the map is kept.
func (f *affectedFlags) on() bool { return f.base != "" || len(f.files) > 0 }

func (f *affectedFlags) check(flags gocmd.Flags, seen, others bool) error {
	if f.set.Changed("affected") && f.base == "" {
		return usagef("--affected: want a git revision, or a map file")
	}
	if slices.Contains(f.files, "") {
		return usagef("--map: want a file")
	}
	for _, name := range []string{"explain", "list", "verify"} {
		if f.base == "" && f.set.Changed(name) {
			return usagef("--%s: want --affected BASE with it", name)
		}
	}
	switch {
	case f.base == "" && f.on() && !seen:
		return usagef("--map: want --affected or --seen with it")
	case f.list && f.verify:
		return usagef("--list and --verify: want one of them")
	case f.on() && others:
		return usagef("--affected and --map: leave --trace, --out, --counts and --check out")
	case f.on():
		if err := affected.Check(flags); err != nil {
			return usagef("--affected and --map choose and know whole tests: %v", err)
		}
	}
	return nil
}

// gather has tests note what they call in a new folder: the user's may have notes of other sources. end
// moves them to the user's, if there is one.
func (f *affectedFlags) gather(seen *seenTestFlags) (end func() error, err error) {
	kept, dir := seen.dir, ""
	if kept == "" {
		dir, err = tempDir("waymark-seen-")
	} else {
		dir, err = os.MkdirTemp(kept, ".run-")
	}
	if err != nil {
		return nil, err
	}
	seen.dir = dir
	release := guard(dir)
	return func() error {
		defer release()
		if kept != "" {
			if err := moveSeen(dir, kept); err != nil {
				return fmt.Errorf("%w; what tests have called is in %s", err, dir)
			}
		}
		return os.RemoveAll(dir)
	}, nil
}

// moveSeen moves the seen files of a folder to another one, which may have others of these names.
func moveSeen(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".seen")
		if !ok {
			continue
		}
		free := filepath.Join(to, f.Name())
		for n := 2; ; n++ {
			if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
				break
			}
			free = filepath.Join(to, fmt.Sprintf("%s-%d.seen", name, n))
		}
		if err := os.Rename(filepath.Join(from, f.Name()), free); err != nil {
			return err
		}
	}
	return nil
}

// mapPath returns where the map is. Without --map it is in the cache, by the module's path.
func (f *affectedFlags) mapPath(gomod string) (string, error) {
	if len(f.files) > 0 {
		return filepath.Abs(f.files[0])
	}
	kept, err := cache.Open()
	if err != nil {
		return "", err
	}
	return kept.Named("affected-" + cache.Hash([]byte(affected.ModulePath(gomod)))), nil
}

// A choice is which tests run.
type choice struct {
	*affectedFlags
	path      string
	tests     *affected.Map
	now       *affected.State
	decisions []affected.Decision
}

// choose decides which tests of the build run. rest is what they get as arguments.
func (a *app) choose(b *build.Build, f *affectedFlags, rest []string) (*choice, error) {
	if b.Version != "" {
		return nil, usagef("--affected: want packages of a main module, not %s", b.Asked[0])
	}
	if b.Env.GOMOD == "" || b.Env.GOMOD == os.DevNull || slices.ContainsFunc(b.Asked, func(arg string) bool { return strings.HasSuffix(arg, ".go") }) {
		return nil, usagef("--affected: want packages of a module, as in ./...")
	}
	c := &choice{affectedFlags: f}
	var err error
	if c.path, err = f.mapPath(b.Env.GOMOD); err != nil {
		return nil, err
	}
	show, done := a.progress()
	defer done()
	show("hashing declarations")
	o := affected.Options{Env: b.Plain, Flags: b.Given, Args: rest, Packages: b.Asked, Ignore: c.path, Library: affected.NewLibrary()}
	if c.now, err = affected.Load(o); err != nil {
		return nil, err
	}
	var unwatched []function.Func
	for i := range b.Funcs {
		if fn := &b.Funcs[i]; !fn.Instrumented {
			unwatched = append(unwatched, fn.Func)
		}
	}
	c.now.Unwatch(unwatched)
	isFile, err := a.readMap(c)
	if err != nil || f.base == "" {
		return c, err
	}
	if isFile {
		c.decisions = c.tests.Select(c.now, nil)
		return c, nil
	}
	dir, err := tempDir("waymark-base-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	defer guard(dir)()
	base, err := loadBase(f.base, o, dir)
	if err != nil {
		return nil, fmt.Errorf("--affected: %w", err)
	}
	base.UnwatchAs(c.now)
	c.decisions = c.tests.Select(c.now, base)
	return c, nil
}

// readMap reads the map and others of the same module, and reports whether it is BASE.
func (a *app) readMap(c *choice) (isFile bool, err error) {
	from := c.path
	if info, err := os.Stat(c.base); c.base != "" && err == nil && info.Mode().IsRegular() {
		isFile, from = true, c.base
	}
	c.tests, err = affected.Read(from, c.now.Module)
	switch {
	case err == nil:
	case errors.As(err, new(*affected.OtherModule)):
		return isFile, fmt.Errorf("%s: %w: name another file", from, err)
	case isFile:
		return isFile, fmt.Errorf("--affected: %s: %w", from, err)
	case errors.Is(err, fs.ErrNotExist):
		if c.base != "" && len(c.files) < 2 {
			a.note("there is no map yet: all tests run")
		}
	default:
		a.note(fmt.Sprintf("%s: %v: all tests run, and it is made anew", from, err))
	}
	for _, name := range c.files[min(1, len(c.files)):] {
		more, err := affected.Read(name, c.now.Module)
		if err == nil {
			err = more.Fits(c.now)
		}
		if err != nil {
			return isFile, fmt.Errorf("--map %s: %w: leave it out, or make it anew", name, err)
		}
		c.tests.Merge(more, c.now)
	}
	return isFile, nil
}

// loadBase returns the state of a git revision, whose files it writes to dir.
func loadBase(revision string, o affected.Options, dir string) (*affected.State, error) {
	at, err := affected.Checkout(revision, o.Env.Dir, dir)
	if err != nil {
		return nil, err
	}
	if o.Env, err = gocmd.LoadEnv(at, filepath.Join(dir, "links"), o.Env.Extra...); err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	o.Copy = true
	base, err := affected.Load(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	return base, nil
}

// say prints the decisions that the flags ask for.
func (c *choice) say(w io.Writer) {
	for _, d := range c.decisions {
		switch {
		case c.explain && d.Run:
			fmt.Fprintf(w, "run   %s %s: %s\n", d.Package, d.Test, names.Printable(d.Why))
		case c.explain:
			fmt.Fprintf(w, "skip  %s %s: %s\n", d.Package, d.Test, names.Printable(d.Why))
		case d.Run:
			fmt.Fprintf(w, "%s %s\n", d.Package, d.Test)
		}
	}
}

// summary says how many tests were chosen.
func (c *choice) summary() string {
	n, packages := 0, make(map[string]bool)
	for _, d := range c.decisions {
		if d.Run {
			n++
			packages[d.Package] = true
		}
	}
	return fmt.Sprintf("%d of %s, in %d of %s", n, units.Things(uint64(len(c.decisions)), "test"), len(packages), units.Things(uint64(len(c.now.Packages)), "package"))
}
