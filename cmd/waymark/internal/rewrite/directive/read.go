package directive

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// LibraryPath is the path of the package with type Group.
const LibraryPath = "github.com/waymark-go/waymark"

// A Set is what directives say of a unit's functions, and the groups that its files declare.
type Set struct {
	// Marks are by the functions' ids, which count up from First: functions of the files that the
	// unit is compiled with come before its own.
	First  int
	Marks  []*Mark
	Groups []GroupVar // in source order
}

// A Mark is what directives say of a function that is in a group, or is an info function. Of the
// function itself it sets TracingName, ID, Group and Doc.
type Mark struct {
	Func    *candidate.Func
	Group   *Ref            // nil of an info function
	Info    format.InfoKind // of an info function
	Comment string          // the function's whole comment

	namedBy *comment // the directive that gives its tracing name, nil if none does
}

// Of returns the Mark of a function, nil if it has none.
func (s *Set) Of(f *candidate.Func) *Mark {
	if f.TracingName == "" {
		return nil
	}
	return s.Marks[f.ID-s.First]
}

// IsInfo reports whether m is of an info function. A nil Mark isn't.
func (m *Mark) IsInfo() bool { return m != nil && m.Group == nil }

// InGroup reports whether m is of a function in a group. A nil Mark isn't.
func (m *Mark) InGroup() bool { return m != nil && m.Group != nil }

// Read reads the directives in a unit's files and applies them to its functions. These are the
// functions of its own files and of the files that it is compiled with. library is the path of
// the package with type Group. The error is Diagnostics.
func Read(t *syntax.Tree, own, with []*candidate.Func, library string) (*Set, error) {
	r := newReader(t, library)
	set := r.set(own, with)
	if len(r.errors) > 0 {
		return nil, r.errors.sorted()
	}
	return set, nil
}

// Check finds the mistakes in the directives of a unit, what looks like one and fails no build, and
// which variables they take for groups. It doesn't know whether these are.
func Check(u *syntax.Unit, c *syntax.Config) (Diagnostics, []*Ref) {
	t := syntax.Parse(u, c)
	for _, src := range t.Build {
		if src.Reason == syntax.ByCgo {
			src.Reason = "" // what it says counts, in the file that cgo made it of
		}
	}
	own, with := candidate.List(t, flow.Of(t))
	r := newReader(t, LibraryPath)
	r.set(own, with)
	r.warn()
	var uses []*Ref
	for _, ref := range r.refs {
		if ref.by.src.Own {
			uses = append(uses, ref)
		}
	}
	slices.SortFunc(uses, func(a, b *Ref) int { return comparePositions(a.Pos, b.Pos) })
	return append(r.errors, r.warnings...).sorted(), uses
}

// A reader gathers what the directives in a unit's files say.
type reader struct {
	tree    *syntax.Tree
	library string

	clause []*comment            // over package clauses of the unit's own files
	with   []*comment            // and over those that they are compiled with
	types  map[string][]*comment // by the type's name
	funcs  map[*ast.FuncDecl][]*comment

	decls map[string]declaration // on the package's top level
	refs  map[[2]string]*Ref     // by package and name
	marks map[*candidate.Func]*Mark
	infos map[types.Object]*candidate.Func // info functions

	errors   Diagnostics
	warnings Diagnostics // of what may be meant so, and fails no build
}

// newReader finds all directives. Those that stand over nothing are mistakes.
func newReader(t *syntax.Tree, library string) *reader {
	r := &reader{
		tree: t, library: library,
		types: make(map[string][]*comment), funcs: make(map[*ast.FuncDecl][]*comment),
		refs: make(map[[2]string]*Ref), marks: make(map[*candidate.Func]*Mark),
	}
	for _, src := range t.Build {
		// A file that waymark has rewritten says what it had to say.
		if src.Reason == "" && bytes.Contains(src.Source, []byte(Prefix)) {
			r.file(src)
		}
	}
	if !r.empty() {
		r.decls = declarations(t)
	}
	return r
}

func (r *reader) empty() bool { return len(r.clause)+len(r.with)+len(r.types)+len(r.funcs) == 0 }

// file finds the directives of a file.
func (r *reader) file(src *syntax.Source) {
	attached := make(map[token.Pos]bool)
	take := func(doc *ast.CommentGroup) (list []*comment) {
		if doc == nil {
			return nil
		}
		for _, c := range doc.List {
			if one, ok := parse(src, c); ok {
				attached[one.pos] = true
				list = append(list, one)
			}
		}
		return list
	}
	if list := take(src.AST.Doc); src.Own {
		r.clause = append(r.clause, list...)
	} else {
		r.with = append(r.with, list...)
	}
	for _, decl := range src.AST.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if list := take(decl.Doc); list != nil {
				r.funcs[decl] = list
			}
		case *ast.GenDecl:
			if decl.Tok != token.TYPE {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				list := take(spec.Doc)
				if !decl.Lparen.IsValid() {
					list = append(take(decl.Doc), list...)
				}
				if list == nil {
					continue
				}
				if _, ok := spec.Type.(*ast.InterfaceType); ok || spec.Assign.IsValid() {
					r.wrong(list[0], "%s has no methods of its own: want it over a defined type that isn't an interface", spec.Name.Name)
					continue
				}
				r.types[spec.Name.Name] = list
			}
		}
	}
	for _, group := range src.AST.Comments {
		for _, c := range group.List {
			if one, ok := parse(src, c); ok && !attached[one.pos] {
				r.wrong(one, "it stands over nothing that can be traced: want it directly over a function, a type or the package clause")
			}
		}
	}
}

// set applies the directives to all functions, and returns what they say.
func (r *reader) set(own, with []*candidate.Func) *Set {
	r.groupNames()
	r.apply(with, r.with)
	clauses := r.clause
	if len(clauses) == 0 {
		clauses = r.with // tests are in what the package is in
	}
	r.apply(own, clauses)
	r.infoCalls(own, with)
	s := &Set{Groups: r.groupVars()}
	for _, f := range with {
		if r.marks[f] != nil {
			s.First++
		}
	}
	for i, f := range r.number(own, with) {
		m := r.marks[f]
		m.describe(s.First + i)
		s.Marks = append(s.Marks, m)
	}
	return s
}

// describe notes in the function what is known of it.
func (m *Mark) describe(id int) {
	m.Comment = text(m.Func.Decl.Doc)
	m.Func.ID, m.Func.Doc = id, FirstSentence(m.Comment)
	if m.Group != nil {
		m.Func.Group = m.Group.String()
	}
}

// number returns the functions of the unit's own files that have marks by their ids: by tracing
// name. It reports names that two have.
func (r *reader) number(own, with []*candidate.Func) (list []*candidate.Func) {
	first := make(map[string]*candidate.Func)
	for _, f := range with {
		if r.marks[f] != nil {
			first[f.TracingName] = f
		}
	}
	for _, f := range own {
		m := r.marks[f]
		if m == nil {
			continue
		}
		list = append(list, f)
		other := first[f.TracingName]
		if other == nil {
			first[f.TracingName] = f
			continue
		}
		one := m.namedBy
		if one == nil {
			one = &comment{word: "name", pos: f.Decl.Name.Pos(), src: f.Source}
		}
		r.wrong(one, "%s is what the function at %s is called, too: name one of them otherwise", f.TracingName, r.tree.Fset.Position(other.Decl.Name.Pos()))
	}
	slices.SortStableFunc(list, func(a, b *candidate.Func) int { return cmp.Compare(a.TracingName, b.TracingName) })
	return list
}

// text returns the text of the first comment that has some, without directives, as one line.
func text(list ...*ast.CommentGroup) string {
	for _, doc := range list {
		if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
