package build

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Options say which functions to instrument.
type Options struct {
	Include  []string // patterns; none means the packages of the main modules
	Exclude  []string // patterns
	All      bool     // tiny functions too
	Closures bool     // function literals too
	NoCode   bool     // functions are registered, but get no code

	Values Values

	USDT []string // patterns: functions that get USDT probes, among those that are instrumented

	UntestedGo bool // a Go release that isn't tested is tried

	Test   bool         // for go test: test files too
	Listen bool         // programs listen for waymark's commands, unless their environment says otherwise
	OTLP   bool         // programs can send traces to a collector, even if they don't link net/http otherwise
	Flags  gocmd.Flags  // of the go command
	Args   []string     // packages or files, as the go command takes them
	Dir    string       // where the go command runs
	Cache  *cache.Cache `json:"-"`

	Progress func(string) `json:"-"` // told what is being done; may be nil
}

// Values say what can be recorded besides calls and times.
type Values struct {
	Args, Results []string // patterns: functions whose arguments and results are recorded
	Redact        []string // words in the names of what is not
	RedactTypes   []string // types whose values are not, see format.TypeLooksSecret
	Depth, Bytes  int      // limits for each value
	Stringers     bool     // values as text, by their methods String and Error
}

// Everything is a pattern for the values of all functions.
const Everything = "..."

// settings returns the part of the settings that instrumented programs carry with them. What
// looks secret counts where no values are recorded, too: the program may print some.
func (v *Values) settings() string {
	usual := slices.Equal(v.Redact, format.AddRedactWords(nil, format.DefaultRedact))
	if len(v.Args)+len(v.Results)+len(v.RedactTypes) == 0 && !v.Stringers && usual {
		return ""
	}
	s := fmt.Sprintf(`arg-depth=%d,arg-bytes=%d,redact=none\,%s`, v.Depth, v.Bytes, strings.Join(v.Redact, `\,`))
	for _, name := range v.RedactTypes {
		s += ",redact-type=" + name
	}
	if v.Stringers {
		s += ",stringers"
	}
	if len(v.Args)+len(v.Results) == 0 {
		s += ",args=0,results=0"
	}
	return s
}

// A Func is a function with the decision about it. Its Group is the variable that holds the group.
type Func struct {
	function.Func
	Instrumented bool
	Reason       string // why not
	Cost         int
	Full         string // as patterns see it

	Args, Results []Value // that are recorded

	Info    string // of an info function: NONE, ENTER or EXIT
	Comment string // of one with a directive: its whole comment

	Probed   bool // it has USDT probes
	Unpassed int  // parameters, or results, that these have no room for
}

// A Value is an argument or a result. The receiver is the first argument.
type Value struct {
	Name string // _ if it has none
	Type string // as in the source
}

// Traced reports whether f is in a group, or is an info function.
func (f *Func) Traced() bool { return f.TracingName != "" }

// A File is a file of the overlay that holds rewritten or generated Go source.
type File struct {
	Package string // import path
	Path    string // where the go command believes it to be
	Cached  string // where it is

	Generated bool       // not one of the user's
	Runs      []edit.Run // what it keeps of the user's
}

// A Build is a prepared build.
type Build struct {
	Env   *gocmd.Env
	Plain *gocmd.Env  // without what makes the build instrumented
	Flags gocmd.Flags // for go build or go test: the user's and what makes the build instrumented
	Funcs []Func      // by package, in the order of go list, then by position
	Files []File

	Groups []directive.GroupVar // declared in the packages, by package, then by position

	Main    []*gocmd.Package // the packages that were asked for
	Asked   []string         // the same as the user named them, without their version
	Given   gocmd.Flags      // the user's own
	Version string           // of the packages, if they were named with one
	Notes   []string         // what users should know
	Args    []string         // what to ask the go command for

	cache    *cache.Cache
	asked    string // the options, as text
	overlay  map[string]string
	runs     map[string][]edit.Run     // by path: what rewritten files keep
	user     map[string]string         // the user's own overlay
	packages map[string]*gocmd.Package // all, by import path
	names    map[string]string         // of packages, by import path
	probes   int                       // sites with USDT probes
}

// readUserOverlay takes over the user's own -overlay.
func (b *Build) readUserOverlay(flags gocmd.Flags) error {
	name, ok := flags.Lookup("overlay")
	if !ok {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.Env.Dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("-overlay: %w", err)
	}
	var user struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &user); err != nil {
		return fmt.Errorf("-overlay %s: %w", name, err)
	}
	for from, to := range user.Replace {
		if !filepath.IsAbs(from) {
			from = filepath.Join(b.Env.Dir, from)
		}
		if to != "" && !filepath.IsAbs(to) {
			to = filepath.Join(b.Env.Dir, to)
		}
		b.overlay[filepath.Clean(from)] = to
	}
	b.user = maps.Clone(b.overlay)
	return nil
}

// readFile reads a file as the go command would.
func (b *Build) readFile(path string) ([]byte, error) {
	if to, ok := b.overlay[path]; ok {
		path = to
	}
	return os.ReadFile(path)
}

// Dependent returns a package that was asked for and that depends on the given one, its
// tests included. It returns the given one if there is no such package.
func (b *Build) Dependent(path string) string {
	for _, p := range b.Main {
		seen := make(map[string]bool)
		queue := slices.Concat([]string{p.ImportPath}, p.TestImports, p.XTestImports)
		for len(queue) > 0 {
			next := queue[0]
			queue = queue[1:]
			if next == path {
				return p.ImportPath
			}
			if q := b.packages[next]; q != nil && !seen[next] {
				seen[next] = true
				queue = append(queue, q.Imports...)
			}
		}
	}
	return path
}

// Overlay returns the file that the compiler reads in place of each that has another.
func (b *Build) Overlay() map[string]string { return maps.Clone(b.overlay) }

// suffix returns what a file's name must end with. Tools that get the file from the
// overlay look at the name: go vet checks tests by their files' names.
func suffix(path string) string {
	const tests = "_test.go"
	if strings.HasSuffix(path, tests) {
		return tests
	}
	return filepath.Ext(path)
}

// patch adds files of the toolchain to the overlay.
func (b *Build) patch(c *cache.Cache, files map[string]toolchain.File) error {
	contents := make(map[string][]byte)
	for path, f := range files {
		contents[path] = f.Content
		b.keeps(path, f.Runs)
	}
	return b.put(c, contents)
}

// put adds files to the overlay.
func (b *Build) put(c *cache.Cache, files map[string][]byte) (err error) {
	for path, content := range files {
		if b.overlay[path], err = c.Put(content, filepath.Ext(path)); err != nil {
			return err
		}
	}
	return nil
}

// FindLibrary returns the given flags of the user's with those that make the go command find the
// library, as the instrumented build finds it. They build the user's own sources.
func (b *Build) FindLibrary(flags gocmd.Flags) (gocmd.Flags, error) {
	return b.overlaid(flags, nil, b.user)
}

// withModules returns flags with which the go command sees files through the given
// overlay and finds the library with its hooks. The flags also put the copies of
// modules in place of the modules.
func (b *Build) withModules(flags gocmd.Flags, copies map[module.Version]string, overlay map[string]string) (gocmd.Flags, error) {
	all, err := b.overlaid(flags, copies, overlay)
	if err != nil {
		return nil, err
	}
	tags, ok := flags.Lookup("tags")
	if !ok {
		tags, _ = b.Env.Settings().Lookup("tags")
	}
	tags = strings.Join(append(strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' }), library.Tag), ",")
	return append(all.Without("tags"), "-tags="+tags), nil
}

// overlaid is withModules without the build tag of the hooks.
func (b *Build) overlaid(flags gocmd.Flags, copies map[module.Version]string, overlay map[string]string) (gocmd.Flags, error) {
	mods := gocmd.Modules{
		Version: library.Version(),
		Library: func(path, goVersion string) (string, error) { return library.ModuleDir(b.cache, path, goVersion) },
		Check:   library.Check,
		Replace: copies,
	}
	files := make(map[string][]byte)
	extra, err := mods.Overlay(b.Env, flags, files)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(overlay)
	for path, content := range files {
		if content == nil {
			all[path] = "" // the go command doesn't see the file
		} else if all[path], err = b.cache.Put(content, filepath.Ext(path)); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": all}, "", "\t")
	if err != nil {
		return nil, err
	}
	name, err := b.cache.Put(data, ".json")
	if err != nil {
		return nil, err
	}
	return append(append(flags.Without("overlay"), extra...), "-overlay="+name), nil
}

// Go prepares a run of the go command with the build's flags and the given arguments.
func (b *Build) Go(verb string, args ...string) []string {
	return append(append([]string{verb}, b.Flags...), args...)
}
