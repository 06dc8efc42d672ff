package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"golang.org/x/mod/module"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/library"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/internal/pattern"
)

// A job is a group of files to rewrite.
type job struct {
	pkg     *gocmd.Package
	kind    instrument.Kind
	names   []string // of the files, in the package's folder
	with    []string
	agent   bool   // the group links the agent
	scope   bool   // functions may be selected
	dir     string // the folder that the go command will read it from
	outcome outcome
	err     error
}

// An outcome is what rewriting a group gave. It is kept under a name that says
// all that it depends on, so that an unchanged group costs reading its files only.
type outcome struct {
	Files  []File
	Funcs  []Func
	Groups []instrument.GroupVar
}

// rewrite rewrites all groups in scope. It gives the copies of modules that it
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
	var mu sync.Mutex // guards s, which counts what matches
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range queue {
				j.outcome, j.err = b.run(j, o, s, &mu)
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
	}
	return copies, nil
}

// failures gives the first error, or all mistakes in directives if there is no other one.
func failures(jobs []*job) error {
	var mistakes instrument.Diagnostics
	for _, j := range jobs {
		var list instrument.Diagnostics
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

// jobs lists the groups: those in scope, and those that link the agent.
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
		add := func(kind instrument.Kind, names, with []string) {
			if len(names) > 0 && (scope || agent) {
				jobs = append(jobs, &job{pkg: p, kind: kind, names: names, with: with, agent: agent, scope: scope, dir: p.Dir})
				agent = false // once is enough
			}
		}
		add(instrument.Package, base, nil)
		if o.Test && !p.DepOnly {
			add(instrument.Test, p.TestGoFiles, base)
			add(instrument.XTest, p.XTestGoFiles, nil)
		}
	}
	return jobs, nil
}

// copyModules copies the modules of jobs that lie in the module cache, where the
// go command refuses overlaid files, and turns the jobs to the copies.
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

// below tells whether path is in the folder dir.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// run rewrites one group, or finds it in the cache.
func (b *Build) run(j *job, o *Options, s *selection, mu *sync.Mutex) (outcome, error) {
	group, err := b.group(j, o)
	if err != nil {
		return outcome{}, err
	}
	name, err := j.key(group, o, s.groups, b.otherNames(j.pkg), b.Env.GOVERSION+" "+b.Env.GOOS+" "+b.Env.GOARCH)
	if err != nil {
		return outcome{}, err
	}
	out, ok := j.load(o.Cache, name)
	if !ok {
		if out, err = b.make(j, group, o, s, mu); err != nil {
			return outcome{}, err
		}
		data, err := json.Marshal(out)
		if err != nil {
			return outcome{}, err
		}
		if err := o.Cache.Set(name, data); err != nil {
			return outcome{}, err
		}
	}
	// Patterns count what they match also where the cache answered.
	mu.Lock()
	defer mu.Unlock()
	for i := range out.Funcs {
		f := &out.Funcs[i]
		p := pattern.Func{Package: f.Package, Dir: j.pkg.Dir, Main: j.pkg.Name == "main", Name: strings.TrimPrefix(f.Full, f.Package+".")}
		_, p.Symbol = names.Split(f.Name)
		if f.Traced != nil {
			p.Groups = s.groups[f.Traced.Group]
		}
		s.include.Match(p)
		s.exclude.Match(p)
		if f.Instrumented {
			s.args.Match(p)
			s.results.Match(p)
		}
	}
	return out, nil
}

func (b *Build) group(j *job, o *Options) (*instrument.Group, error) {
	// In tests and in a plugin a main package is compiled under its own path.
	mode, _ := append(b.Env.Settings(), o.Flags...).Lookup("buildmode")
	g := &instrument.Group{
		ImportPath: j.pkg.ImportPath,
		Main:       j.pkg.Name == "main" && !o.Test && mode != "plugin",
		Kind:       j.kind,
	}
	if j.kind == instrument.XTest {
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

func (b *Build) read(j *job, names []string) ([]instrument.File, error) {
	var files []instrument.File
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(j.dir, name)
		}
		src, err := b.readFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, instrument.File{Path: path, Source: src, Cgo: slices.Contains(j.pkg.CgoFiles, name)})
	}
	return files, nil
}

// packageName gives the name of a package of the build, empty if it isn't one.
func (b *Build) packageName(path string) string {
	if p := b.packages[path]; p != nil {
		return p.Name
	}
	return ""
}

// otherNames gives the packages that p imports whose names aren't those that their paths make one expect.
func (b *Build) otherNames(p *gocmd.Package) (list []string) {
	for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if name := b.packageName(path); name != "" && name != instrument.GuessName(path) {
			list = append(list, path+" "+name)
		}
	}
	return list
}

// key names the outcome: by the tool, the options, and the group with its sources.
func (j *job) key(g *instrument.Group, o *Options, groups map[string][]string, names []string, toolchain string) (string, error) {
	tool, err := identity()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(struct {
		Tool, Toolchain    string
		Include, Exclude   []string
		All, Closures      bool
		MinSize            int
		Values             Values
		Agent, Scope, Main bool
		NoCode             bool
		Dir                string
		Group              *instrument.Group
		Groups             map[string][]string
		Names              []string
	}{tool, toolchain, o.Include, o.Exclude, o.All, o.Closures, o.MinSize, o.Values, j.agent, j.scope, j.pkg.Name == "main", o.NoCode, j.pkg.Dir, g, groups, names})
	return "group-" + cache.Hash(data), err
}

// identity tells versions of this command apart, also those built from one
// working tree one after the other.
var identity = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	fi, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano()), nil
})

// load reads a kept outcome whose files are all still there.
func (j *job) load(c *cache.Cache, name string) (out outcome, ok bool) {
	data, ok := c.Get(name)
	if !ok || json.Unmarshal(data, &out) != nil {
		return outcome{}, false
	}
	for _, f := range out.Files {
		if _, err := os.Stat(f.Cached); err != nil {
			return outcome{}, false
		}
	}
	return out, true
}

// make rewrites a group and puts its files into the cache.
func (b *Build) make(j *job, g *instrument.Group, o *Options, s *selection, mu *sync.Mutex) (outcome, error) {
	opt := &instrument.Options{
		Closures:  o.Closures,
		Toolchain: b.Env.GOVERSION,
		GOOS:      b.Env.GOOS,
		GOARCH:    b.Env.GOARCH,
		Select: func(f *instrument.Func) (bool, string) {
			if !j.scope {
				return false, "not included"
			}
			mu.Lock()
			defer mu.Unlock()
			return s.decide(s.patternFunc(j.pkg, f), f.Traced, f.Info != "", f.Tiny, f.Cost)
		},
		Values: func(f *instrument.Func) (args, results bool) {
			mu.Lock()
			defer mu.Unlock()
			p := s.patternFunc(j.pkg, f)
			args, _ = s.args.Match(p)
			results, _ = s.results.Match(p)
			return args, results
		},
		PackageName: b.packageName,

		Redact:   o.Values.Redact,
		Settings: o.Values.settings(),

		Stringers:    o.Values.Stringers,
		NoDirectives: !j.scope,
		NoCode:       o.NoCode,
		Table: func(t *instrument.Table) string {
			list := make([]format.Site, len(t.Sites))
			for i, site := range t.Sites {
				list[i] = format.Site{Name: site.Name, File: j.original(site.File), Line: site.Line, Args: site.Args, Results: site.Results, Tiny: withoutPackage(site)}
				if site.Closure {
					list[i].Flags |= format.Closure
				}
			}
			return string(format.AppendFacility(format.AppendTable(nil, g.ImportPath, list), list, facility(t)))
		},
	}
	if j.agent {
		opt.Imports = []string{library.Agent}
	}
	res, err := instrument.Rewrite(g, opt)
	if err != nil {
		return outcome{}, err
	}
	var out outcome
	add := func(f *instrument.Rewritten) error {
		cached, err := o.Cache.Put(f.Source, suffix(f.Path))
		out.Files = append(out.Files, File{Package: j.pkg.ImportPath, Path: f.Path, Cached: cached, Runs: f.Runs})
		return err
	}
	for i := range res.Files {
		if res.Files[i].Changed {
			if err := add(&res.Files[i]); err != nil {
				return outcome{}, err
			}
		}
	}
	if res.Generated != nil {
		if err := add(res.Generated); err != nil {
			return outcome{}, err
		}
		out.Files[len(out.Files)-1].Generated = true
	}
	if j.scope {
		for i := range res.Funcs {
			f := &res.Funcs[i]
			fn := Func{
				Name: f.Name, Package: j.pkg.ImportPath, File: j.original(f.File), Line: f.Line,
				Instrumented: f.Instrumented, Reason: f.Reason, Cost: f.Cost, Full: patternFunc(j.pkg, f).Full(),
			}
			if f.Traced {
				fn.Traced = &Traced{f.Tracing, f.ID, f.Group, f.Info, f.Doc}
			}
			out.Funcs = append(out.Funcs, fn)
		}
		for _, g := range res.Groups {
			g.File = j.original(g.File)
			out.Groups = append(out.Groups, g)
		}
		sort.SliceStable(out.Funcs, func(i, j int) bool {
			a, b := &out.Funcs[i], &out.Funcs[j]
			return a.File < b.File || a.File == b.File && a.Line < b.Line
		})
	}
	return out, nil
}

// facility is what the program knows of functions with directives.
func facility(t *instrument.Table) format.Facility {
	f := format.Facility{Groups: t.Groups, First: t.First}
	points := map[string]format.InfoKind{"": format.InfoNone, "enter": format.InfoEnter, "exit": format.InfoExit}
	for _, tr := range t.Traced {
		fn := format.TracedFunction{Name: tr.Name, Site: tr.Site, Group: tr.Group, Doc: tr.Doc}
		if tr.Group < 0 {
			fn.Group, fn.Info = 0, points[tr.Point]
		}
		f.Functions = append(f.Functions, fn)
	}
	for _, d := range t.Docs {
		f.Docs = append(f.Docs, format.GroupDoc(d))
	}
	return f
}

// withoutPackage returns the names of the tiny functions of a site as its table has them.
func withoutPackage(s instrument.Site) (names []string) {
	for _, name := range s.Tiny {
		names = append(names, strings.TrimPrefix(name, format.Qualifier(s.Name)))
	}
	return names
}

// original gives the path of a file as the user knows it, where it is in a copied module.
func (j *job) original(path string) string {
	if rel, err := filepath.Rel(j.dir, path); err == nil && below(path, j.dir) {
		return filepath.Join(j.pkg.Dir, rel)
	}
	return path
}

func (s *selection) patternFunc(p *gocmd.Package, f *instrument.Func) pattern.Func {
	out := patternFunc(p, f)
	out.Groups = s.groups[f.Group]
	return out
}

func patternFunc(p *gocmd.Package, f *instrument.Func) pattern.Func {
	name := f.Base
	if f.Recv != "" {
		name = f.Recv + "." + name
	}
	_, symbol := names.Split(f.Name)
	return pattern.Func{Package: p.ImportPath, Dir: p.Dir, Main: p.Name == "main", Name: name, Symbol: symbol}
}
