package build

import (
	"cmp"
	"errors"
	"go/ast"
	"go/scanner"
	"go/types"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// make plans the rewriting of a unit, and applies the plan: it puts the files into the cache.
func (b *Build) make(j *job, u *syntax.Unit, o *Options, s *selection) (outcome, error) {
	a, err := instrument.Analyze(u, b.options(j, u, o))
	if err != nil {
		return outcome{}, err
	}
	s.choose(j.pkg, j.scope, a.Funcs)
	plan, err := a.Plan()
	if err != nil {
		return outcome{}, err
	}
	if err := b.unreadable(j, plan); err != nil {
		return outcome{}, err
	}
	out := outcome{Probes: len(plan.Probes.Sites)}
	if err := out.write(j, u, o.Cache, plan); err != nil {
		return outcome{}, err
	}
	if j.scope {
		out.describe(j, a)
	}
	return out, nil
}

// unreadable returns an error if a file has syntax that may be of a newer Go than this command knows:
// its functions would be missing. The go command itself reports other syntax errors.
func (b *Build) unreadable(j *job, plan *instrument.Plan) error {
	if !j.scope || !b.Env.IsNewer() {
		return nil
	}
	for i := range plan.Files {
		f := &plan.Files[i]
		if f.Err == nil {
			continue
		}
		var list scanner.ErrorList
		if at := f.Path; errors.As(f.Err, &list) && len(list) > 0 {
			list[0].Pos.Filename = j.original(at)
			return b.Env.TooNew(list[0])
		}
		return b.Env.TooNew(f.Err)
	}
	return nil
}

// options returns those for the rewriting of a unit.
func (b *Build) options(j *job, u *syntax.Unit, o *Options) *instrument.Options {
	opt := &instrument.Options{
		Config: syntax.Config{
			PackageNames: b.names,
			GOOS:         b.Env.GOOS,
			GOARCH:       b.Env.GOARCH,
			Toolchain:    b.Env.GOVERSION,
		},
		Closures:     o.Closures,
		Redact:       o.Values.Redact,
		Stringers:    o.Values.Stringers,
		Settings:     o.Values.settings(),
		NoCode:       o.NoCode,
		Providers:    j.scope && b.bearsUSDT(),
		Spans:        b.spans(o),
		NoDirectives: !j.scope,
	}
	if j.agent {
		opt.Imports = []string{library.Agent}
		if o.Listen && u.Main {
			opt.Imports = append(opt.Imports, library.Listener)
		}
		if u.Main && b.sends(j, o) {
			opt.Imports = append(opt.Imports, library.OTLP)
		}
	}
	return opt
}

// sends reports whether the program of a job links what sends traces to a collector: users ask for
// that, or the program has net/http anyway, which is most of the size.
func (b *Build) sends(j *job, o *Options) bool {
	return j.agent && (o.OTLP || o.Listen && b.reaches(j.pkg, "net/http"))
}

// spans reports whether traces of the build's programs may be sent, below the programs' own spans.
func (b *Build) spans(o *Options) bool {
	return o.OTLP || b.packages[library.OTLP] != nil || o.Listen && b.packages["net/http"] != nil
}

// reaches reports whether a package imports another one, or what it imports does.
func (b *Build) reaches(pkg *gocmd.Package, path string) bool {
	seen := make(map[string]bool)
	todo := []*gocmd.Package{pkg}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range p.Imports {
			if i == path {
				return true
			}
			if next := b.packages[i]; next != nil && !seen[i] {
				seen[i] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// write puts the files of a plan into the cache.
func (out *outcome) write(j *job, u *syntax.Unit, c *cache.Cache, plan *instrument.Plan) error {
	add := func(path string, text []byte, runs []edit.Run, generated bool) error {
		cached, err := c.Put(text, suffix(path))
		out.Files = append(out.Files, File{Package: j.pkg.ImportPath, Path: path, Cached: cached, Runs: runs, Generated: generated})
		return err
	}
	for i := range plan.Files {
		f := &plan.Files[i]
		if f.Edits == nil {
			continue
		}
		text, err := f.Text()
		if err != nil {
			return err
		}
		if err := add(f.Path, text, f.Edits.Runs(), false); err != nil {
			return err
		}
	}
	for i := range plan.Sites {
		plan.Sites[i].File = j.original(plan.Sites[i].File)
	}
	table := format.AppendFacility(format.AppendTable(nil, u.ImportPath, plan.Sites), plan.Sites, plan.Facility)
	if g := plan.Generate(string(table)); g != nil {
		return add(g.Path, g.Source, nil, true)
	}
	return nil
}

// infoKinds are the names of the kinds of info functions.
var infoKinds = map[format.InfoKind]string{format.InfoNone: "NONE", format.InfoEnter: "ENTER", format.InfoExit: "EXIT"}

// describe notes the functions with the decisions about them, by position, and the groups.
func (out *outcome) describe(j *job, a *instrument.Analysis) {
	for _, f := range a.Funcs {
		fn := Func{Func: f.Func.Func, Instrumented: f.Instrument, Reason: f.Reason, Cost: f.Cost, Probed: f.HasProbes()}
		fn.Package, fn.File, fn.Full = j.pkg.ImportPath, j.original(f.File), j.pkg.ImportPath+"."+f.Local()
		if f.Args {
			fn.Args = values(f.Params())
		}
		if f.Results {
			fn.Results = values(f.Type.Results)
		}
		if fn.Probed {
			fn.Unpassed = max(0, f.Type.Params.NumFields()-probetable.MaxArguments, f.Type.Results.NumFields()-probetable.MaxArguments)
		}
		if f.Mark != nil {
			fn.Info, fn.Comment = infoKinds[f.Mark.Info], f.Mark.Comment
		}
		out.Funcs = append(out.Funcs, fn)
	}
	slices.SortStableFunc(out.Funcs, func(a, b Func) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, g := range a.Groups {
		g.File = j.original(g.File)
		out.Groups = append(out.Groups, g)
	}
}

// values returns the parameters or results in list.
func values(list *ast.FieldList) (out []Value) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		typ := types.ExprString(field.Type)
		if len(field.Names) == 0 {
			out = append(out, Value{"_", typ})
		}
		for _, name := range field.Names {
			out = append(out, Value{name.Name, typ})
		}
	}
	return out
}
