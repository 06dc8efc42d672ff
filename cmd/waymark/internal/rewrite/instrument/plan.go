package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Plan says how the files of a unit are to be changed.
type Plan struct {
	Files []File // as in Unit.Files, in the same order

	// Sites are the instrumented functions, and Facility is what the program is to know of
	// functions with directives and of groups. The caller makes the table of both, for Generate.
	Sites    []format.Site
	Facility format.Facility

	Probes probetable.Table // the USDT probes, by site

	words []uint64 // of Probes, in generated code
	first int      // index of the first site's

	providers []provider

	groups   []*directive.Ref // those of Facility.Groups
	analysis *Analysis
	names    *unique
}

// A File is a file with the edits that it needs.
type File struct {
	Path   string
	Edits  *edit.Buffer // nil if the file stays as it is
	Reason string       // why nothing of the file could be rewritten, if so
	Err    error        // its syntax errors, as this release of Go sees them
}

// Plan returns the plan for the decisions that were made. It doesn't change the sources; the same
// decisions about the same unit make the same plan.
//
// A file with syntax errors, or one that waymark has already rewritten, stays as it is.
func (a *Analysis) Plan() (*Plan, error) {
	n, err := newNames(a.tree.Unit)
	if err != nil {
		return nil, err
	}
	p := &Plan{analysis: a, names: n}
	findTiny(a.costs, a.tree.Info, a.Funcs)
	bySource := make(map[*syntax.Source][]*Func)
	for _, f := range a.Funcs {
		if f.Instrument {
			a.prepare(f)
			f.site = len(p.Sites)
			p.Sites = append(p.Sites, f.describe())
			p.Sites[f.site].Body = extent(a.tree.Fset, f.Body)
			bySource[f.Source] = append(bySource[f.Source], f)
		} else {
			f.leave(&p.Facility.Left)
		}
	}
	if !a.opts.NoCode {
		if err := p.describeProbes(); err != nil {
			return nil, err
		}
	}
	for _, src := range a.tree.Files {
		f := File{Path: src.Path, Reason: src.Reason, Err: src.Err}
		if list := bySource[src]; len(list) > 0 && !a.opts.NoCode {
			f.Edits = rewriteFile(src, list, a, n)
		}
		p.Files = append(p.Files, f)
	}
	p.describeGroups()
	return p, nil
}

// leave counts a function that is left out.
func (f *Func) leave(l *format.Left) {
	_, name := names.Split(f.Name)
	switch {
	case f.Never == literal:
		l.Literals++
	case f.Never != "":
		l.Unfit++
	case f.Reason == Tiny:
		l.Tiny = append(l.Tiny, name)
	default:
		l.Unchosen++
	}
}

// prepare finds out what the edits of an instrumented function need to know.
func (a *Analysis) prepare(f *Func) {
	if f.Mark != nil {
		f.Args, f.Results = true, true
	}
	f.Args = f.Args && count(f.Params()) > 0
	f.Results = f.Results && count(f.Type.Results) > 0
	f.exits = findExits(a.tree, f)
	f.Results = f.Results && f.exits.fits
	f.probing.results = f.HasProbes() && count(f.Type.Results) > 0 && f.exits.fits
	f.fails = f.exits.fits && !f.Mark.IsInfo() && returnsError(a.tree.Info, f.Type)
}

// describe returns the site of an instrumented function.
func (f *Func) describe() format.Site {
	s := format.Site{Name: f.Name, File: f.File, Line: f.Line, Flags: f.roles}
	if f.Lit != nil {
		s.Flags |= format.Closure
	}
	if f.Args {
		s.Args, s.ArgTypes = valueNames(f.Params()), valueTypes(f.Params())
	}
	if f.Results {
		s.Results, s.ResultTypes = valueNames(f.Type.Results), valueTypes(f.Type.Results)
	}
	pkg, _ := names.Split(f.Name)
	for _, name := range f.Tiny {
		s.Tiny = append(s.Tiny, strings.TrimPrefix(name, pkg+"."))
	}
	return s
}

// extent returns where a body is, with //line directives applied as in the position of the function.
func extent(fset *token.FileSet, body *ast.BlockStmt) format.Extent {
	begin, end := fset.Position(body.Lbrace), fset.Position(body.Rbrace+1)
	return format.Extent{Line: begin.Line, Column: begin.Column, EndLine: end.Line, EndColumn: end.Column}
}

// describeGroups sets what the program is to know of functions with directives and of groups.
func (p *Plan) describeGroups() {
	a, out := p.analysis, &p.Facility
	sites := make(map[*directive.Mark]int)
	for _, f := range a.Funcs {
		if f.Mark != nil && f.Instrument {
			sites[f.Mark] = f.site
		}
	}
	out.First = a.set.First
	for _, m := range a.set.Marks {
		f := format.TracedFunction{Name: m.Func.TracingName, Site: -1, Info: m.Info, Doc: m.Func.Doc}
		if site, ok := sites[m]; ok {
			f.Site = site
		}
		if m.Group != nil {
			if f.Group = slices.Index(p.groups, m.Group); f.Group < 0 {
				f.Group = len(p.groups)
				p.groups = append(p.groups, m.Group)
				out.Groups = append(out.Groups, m.Group.String())
			}
		}
		out.Functions = append(out.Functions, f)
	}
	for _, g := range a.Groups {
		if doc := directive.FirstSentence(g.Doc); g.Name != "" && doc != "" {
			out.Docs = append(out.Docs, format.GroupDoc{Name: g.Name, Doc: doc})
		}
	}
}

// Text returns the edited text of a file.
func (f *File) Text() ([]byte, error) {
	text, err := f.Edits.Bytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return text, nil
}
