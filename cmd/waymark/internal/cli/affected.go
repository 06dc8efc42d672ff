package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	o := affected.Options{Env: b.Plain, Flags: b.Given, Args: rest, Packages: b.Asked, Ignore: c.path}
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
		if err != nil {
			return isFile, fmt.Errorf("--map %s: %w", name, err)
		}
		c.tests.Merge(more)
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

// A testGroup is what one go command tests.
type testGroup struct {
	packages []string
	tests    []string // nil: all
	asked    bool     // it is all that the user has asked for
}

// groups returns what to run, that which is likeliest to fail first.
func (c *choice) groups() (list []*testGroup) {
	if c.base == "" || c.verify {
		g := &testGroup{asked: true}
		for path := range c.now.Packages {
			g.packages = append(g.packages, path)
		}
		slices.Sort(g.packages)
		return []*testGroup{g}
	}
	byPattern := make(map[string]*testGroup)
	for rest := c.decisions; len(rest) > 0; {
		path, n := rest[0].Package, 0
		var tests []string
		for ; n < len(rest) && rest[n].Package == path; n++ {
			if rest[n].Run {
				tests = append(tests, rest[n].Test)
			}
		}
		rest = rest[n:]
		if len(tests) == 0 {
			continue
		}
		key := strings.Join(tests, "|")
		if len(tests) == n || len(key) > mostPattern {
			tests, key = nil, ""
		}
		if byPattern[key] == nil {
			byPattern[key] = &testGroup{tests: tests}
			list = append(list, byPattern[key])
		}
		byPattern[key].packages = append(byPattern[key].packages, path)
	}
	return list
}

// mostPattern is how long -run may be, bytes: the kernel takes arguments of 128 KB.
const mostPattern = 100 << 10

// testAffected runs the chosen tests, and notes what they depend on. goTest takes the user's packages
// for none.
func (a *app) testAffected(c *choice, dir string, goTest func(packages []string, flags gocmd.Flags) *exec.Cmd) (err error) {
	runs := make(map[string]affected.Run)
	failed := make(failures)
	for _, g := range c.groups() {
		var flags gocmd.Flags
		if g.tests != nil {
			flags = gocmd.Flags{"-run=^(" + strings.Join(g.tests, "|") + ")$"}
		}
		args := g.packages
		if g.asked {
			args = nil
		}
		cmd := goTest(args, flags)
		out := &outcomes{to: cmd.Stdout, passed: make(map[string]bool), failed: failed}
		cmd.Stdout = out
		cmd.Env = append(cmd.Env, "WAYMARKTESTLOG="+dir)
		err1 := await(cmd)
		if err1 != nil && !errors.As(err1, new(*exec.ExitError)) {
			return err1
		}
		if err == nil {
			err = err1
		}
		for _, path := range g.packages {
			runs[path] = affected.Run{Passed: out.passed[path], Tests: g.tests, Failed: failed.tests(path)}
		}
	}
	if addErr := c.tests.Add(c.now, dir, runs); addErr != nil {
		a.note(fmt.Sprintf("the map lacks tests, which run again next time: %v", addErr))
	}
	if writeErr := c.tests.Write(c.path); writeErr != nil {
		return errors.Join(testStatus(err), fmt.Errorf("--map: %w", writeErr))
	}
	if c.verify {
		if missed := c.missed(failed); missed != nil {
			return missed
		}
		a.note(fmt.Sprintf("of the tests that failed, all %d are among those that are chosen: %s", failed.count(), c.summary()))
	}
	return testStatus(err)
}

// missed returns an error about failed tests that were not chosen.
func (c *choice) missed(failed failures) error {
	var errs []error
	chosen := make(map[string]bool)
	for _, d := range c.decisions {
		chosen[d.Package] = chosen[d.Package] || d.Run
		if failed[[2]string{d.Package, d.Test}] && !d.Run {
			errs = append(errs, fmt.Errorf("missed: %s %s failed, and was not chosen", d.Package, d.Test))
		}
	}
	for f := range failed {
		if f[1] == "" && !chosen[f[0]] {
			errs = append(errs, fmt.Errorf("missed: %s failed, and none of its tests was chosen", f[0]))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// outcomes reads what go test prints, and hands it on.
type outcomes struct {
	to     io.Writer
	line   []byte
	tests  []string        // that have failed, of the package that comes next
	passed map[string]bool // packages
	failed failures
}

// failures are tests of the top level by package and name. A package itself has no name.
type failures map[[2]string]bool

// tests returns those of a package.
func (f failures) tests(path string) map[string]bool {
	names := make(map[string]bool)
	for t := range f {
		if t[0] == path && t[1] != "" {
			names[t[1]] = true
		}
	}
	return names
}

// count returns how many tests there are, a package without one counting for one.
func (f failures) count() (n int) {
	for t := range f {
		if t[1] != "" || len(f.tests(t[0])) == 0 {
			n++
		}
	}
	return n
}

var (
	testFailed    = regexp.MustCompile(`--- FAIL: ([^\s/]+) \(`) // behind what a test has printed last
	packageResult = regexp.MustCompile(`^(ok  |FAIL)\t(\S+)`)
	jsonResult    = regexp.MustCompile(`^\{.*"Action":"(pass|fail)","Package":"([^"]+)"(?:,"Test":"([^"/]+)")?,"Elapsed"`)
)

func (o *outcomes) Write(b []byte) (int, error) {
	o.line = append(o.line, b...)
	for {
		i := slices.Index(o.line, '\n')
		if i < 0 {
			return o.to.Write(b)
		}
		o.read(string(o.line[:i]))
		o.line = o.line[i+1:]
	}
}

func (o *outcomes) read(line string) {
	if m := testFailed.FindStringSubmatch(line); m != nil {
		o.tests = append(o.tests, m[1])
	} else if m := packageResult.FindStringSubmatch(line); m != nil {
		o.result(m[2], "", m[1] != "FAIL")
		for _, test := range o.tests {
			o.result(m[2], test, false)
		}
		o.tests = nil
	} else if m := jsonResult.FindStringSubmatch(line); m != nil {
		o.result(m[2], m[3], m[1] == "pass")
	}
}

func (o *outcomes) result(path, test string, passed bool) {
	if !passed {
		o.failed[[2]string{path, test}] = true
	} else if test == "" {
		o.passed[path] = true
	}
}
