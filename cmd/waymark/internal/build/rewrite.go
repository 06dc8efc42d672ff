package build

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/module"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A job is a unit of files to rewrite.
type job struct {
	pkg     *gocmd.Package
	kind    syntax.Kind
	names   []string // of the files, in the package's folder
	with    []string
	agent   bool   // the unit links the agent
	scope   bool   // functions may be selected
	dir     string // the folder that the go command will read it from
	outcome outcome
	err     error
}

// An outcome is the result of rewriting a unit. The cache keeps it under a hash of all that it
// depends on, so that of an unchanged unit only the files are read.
type outcome struct {
	Files  []File
	Funcs  []Func
	Groups []directive.GroupVar
	Probes int // sites with USDT probes
}

// rewrite rewrites all units in scope. It returns the copies of modules that it
// made because their files can't be overlaid in place.
func (b *Build) rewrite(o *Options, s *selection, pkgs []*gocmd.Package, std *known) (map[module.Version]string, error) {
	jobs, err := b.jobs(o, s, pkgs, std)
	if err != nil {
		return nil, err
	}
	copies, err := b.copyModules(o, jobs)
	if err != nil {
		return nil, err
	}
	o.Progress(fmt.Sprintf("instrumenting %d packages", len(jobs)))
	queue := make(chan *job)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range queue {
				j.outcome, j.err = b.run(j, o, s)
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	wg.Wait()
	if err := failures(jobs); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		for _, f := range j.outcome.Files {
			b.overlay[f.Path] = f.Cached
			b.keeps(f.Path, f.Runs)
		}
		b.Files = append(b.Files, j.outcome.Files...)
		b.Funcs = append(b.Funcs, j.outcome.Funcs...)
		b.Groups = append(b.Groups, j.outcome.Groups...)
		b.probes += j.outcome.Probes
	}
	return copies, nil
}

// failures returns the first error, or all mistakes in directives if there is no other one.
func failures(jobs []*job) error {
	var mistakes directive.Diagnostics
	for _, j := range jobs {
		var list directive.Diagnostics
		switch {
		case errors.As(j.err, &list):
			for _, d := range list {
				d.Pos.Filename = j.original(d.Pos.Filename)
				mistakes = append(mistakes, d)
			}
		case j.err != nil:
			return j.err
		}
	}
	if len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// jobs lists the units: those in scope, and those that link the agent.
func (b *Build) jobs(o *Options, s *selection, pkgs []*gocmd.Package, std *known) ([]*job, error) {
	never := make(map[string]bool)
	for _, path := range std.Runtime {
		never[path] = true
	}
	for _, path := range []string{"runtime/cgo", "runtime/race", "runtime/msan", "runtime/asan"} {
		never[path] = true
	}
	var jobs []*job
	for _, p := range pkgs {
		if never[p.ImportPath] || p.ImportPath == "unsafe" || p.Module != nil && library.Has(p.Module.Path) {
			continue
		}
		agent := !p.DepOnly && !p.Standard && (o.Test || p.Name == "main")
		scope := s.inScope(p)
		if !scope && !agent {
			continue
		}
		base := slices.Sorted(slices.Values(append(slices.Clone(p.GoFiles), p.CgoFiles...)))
		add := func(kind syntax.Kind, names, with []string) {
			if len(names) > 0 && (scope || agent) {
				jobs = append(jobs, &job{pkg: p, kind: kind, names: names, with: with, agent: agent, scope: scope, dir: p.Dir})
				agent = false // once is enough
			}
		}
		add(syntax.Package, base, nil)
		if o.Test && !p.DepOnly {
			add(syntax.Test, p.TestGoFiles, base)
			add(syntax.XTest, p.XTestGoFiles, nil)
		}
	}
	return jobs, nil
}

// copyModules copies the modules of jobs that lie in the module cache, and makes the jobs use the
// copies. The go command refuses overlaid files in the module cache.
func (b *Build) copyModules(o *Options, jobs []*job) (map[module.Version]string, error) {
	copies := make(map[module.Version]string)
	for _, j := range jobs {
		m := j.pkg.Module
		if m == nil || !below(m.Dir, b.Env.GOMODCACHE) || !below(j.pkg.Dir, m.Dir) {
			continue
		}
		id := module.Version{Path: m.Path, Version: m.Version}
		dir, ok := copies[id]
		if !ok {
			var err error
			dir, err = o.Cache.Tree("module-"+cache.Hash([]byte(m.Dir)), func(dir string) error {
				if err := gocmd.CopyTree(dir, m.Dir); err != nil {
					return err
				}
				if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
					return nil
				}
				// Modules from before Go had modules have theirs in the download cache only.
				data, err := os.ReadFile(m.GoMod)
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644)
			})
			if err != nil {
				return nil, fmt.Errorf("copy %s: %w", m.Dir, err)
			}
			copies[id] = dir
		}
		rel, err := filepath.Rel(m.Dir, j.pkg.Dir)
		if err != nil {
			return nil, err
		}
		j.dir = filepath.Join(dir, rel)
	}
	return copies, nil
}

// below reports whether path is in the folder dir.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// run rewrites one unit, or finds it in the cache.
func (b *Build) run(j *job, o *Options, s *selection) (outcome, error) {
	unit, err := b.unit(j, o)
	if err != nil {
		return outcome{}, err
	}
	name, err := j.key(unit, o, b.sends(j, o), s.groups, b.otherNames(j.pkg), b.Env.GOVERSION+" "+b.Env.GOOS+" "+b.Env.GOARCH)
	if err != nil {
		return outcome{}, err
	}
	out, ok := j.load(o.Cache, name)
	if !ok {
		if out, err = b.make(j, unit, o, s); err != nil {
			return outcome{}, err
		}
		data, err := out.encode()
		if err != nil {
			return outcome{}, err
		}
		if err := o.Cache.Set(name, data); err != nil {
			return outcome{}, err
		}
	}
	// Patterns remember what they name also where the cache answered, and of functions that aren't included.
	for i := range out.Funcs {
		f := &out.Funcs[i]
		p := s.patternFunc(j.pkg, &f.Func, strings.TrimPrefix(f.Full, f.Package+"."))
		s.include.Match(p)
		s.exclude.Match(p)
		s.usdt.Match(p)
		if f.Instrumented {
			s.args.Match(p)
			s.results.Match(p)
		}
	}
	return out, nil
}

func (b *Build) unit(j *job, o *Options) (*syntax.Unit, error) {
	// In tests and in a plugin a main package is compiled under its own path.
	mode, _ := append(b.Env.Settings(), o.Flags...).Lookup("buildmode")
	g := &syntax.Unit{
		ImportPath: j.pkg.ImportPath,
		Main:       j.pkg.Name == "main" && !o.Test && mode != "plugin",
		Kind:       j.kind,
	}
	if j.kind == syntax.XTest {
		g.ImportPath += "_test"
	}
	if m := j.pkg.Module; m != nil && m.GoVersion != "" {
		g.GoVersion = "go" + m.GoVersion
	}
	var err error
	if g.Files, err = b.read(j, j.names); err != nil {
		return nil, err
	}
	if g.With, err = b.read(j, j.with); err != nil {
		return nil, err
	}
	var others []string
	for _, names := range [][]string{j.pkg.GoFiles, j.pkg.CgoFiles, j.pkg.TestGoFiles, j.pkg.XTestGoFiles, j.pkg.IgnoredGoFiles} {
		for _, name := range names {
			if !slices.Contains(j.names, name) && !slices.Contains(j.with, name) {
				others = append(others, name)
			}
		}
	}
	if g.Others, err = b.read(j, others); err != nil {
		return nil, err
	}
	return g, nil
}

func (b *Build) read(j *job, names []string) ([]syntax.File, error) {
	var files []syntax.File
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(j.dir, name)
		}
		src, err := b.readFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, syntax.File{Path: path, Source: src, Cgo: slices.Contains(j.pkg.CgoFiles, name)})
	}
	return files, nil
}

// otherNames returns the packages that p imports whose names aren't those that their paths make one
// expect.
func (b *Build) otherNames(p *gocmd.Package) (list []string) {
	for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if name := b.names[path]; name != "" && name != syntax.GuessName(path) {
			list = append(list, path+" "+name)
		}
	}
	return list
}

// key names the outcome: by the tool, the options, and the unit with its sources.
func (j *job) key(u *syntax.Unit, o *Options, sends bool, groups map[string][]string, names []string, toolchain string) (string, error) {
	tool, err := Identity()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(struct {
		Tool, Toolchain    string
		Include, Exclude   []string
		All, Closures      bool
		Values             Values
		USDT               []string
		Agent, Scope, Main bool
		Listen, Sends      bool
		NoCode             bool
		Dir                string
		Unit               *syntax.Unit
		Groups             map[string][]string
		Names              []string
	}{tool, toolchain, o.Include, o.Exclude, o.All, o.Closures, o.Values, o.USDT, j.agent, j.scope, j.pkg.Name == "main", j.agent && o.Listen, sends, o.NoCode, j.pkg.Dir, u, groups, names})
	return "unit-" + cache.Hash(data), err
}

// encode returns out as it is kept.
func (out *outcome) encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(out)
	return b.Bytes(), err
}

func (out *outcome) decode(data []byte) error {
	return gob.NewDecoder(bytes.NewReader(data)).Decode(out)
}

// load reads a kept outcome whose files are all still there as they were.
func (j *job) load(c *cache.Cache, name string) (out outcome, ok bool) {
	data, ok := c.Get(name)
	if !ok || out.decode(data) != nil {
		return outcome{}, false
	}
	for _, f := range out.Files {
		if !cache.Holds(f.Cached) {
			return outcome{}, false
		}
	}
	return out, true
}

// original returns the path of a file as the user knows it, where it is in a copied module.
func (j *job) original(path string) string {
	if rel, err := filepath.Rel(j.dir, path); err == nil && below(path, j.dir) {
		return filepath.Join(j.pkg.Dir, rel)
	}
	return path
}
