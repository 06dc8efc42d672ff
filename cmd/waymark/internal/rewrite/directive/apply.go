package directive

import (
	"cmp"
	"go/ast"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

const ignored = Prefix + "ignore"

// apply notes what the directives say of each function; clauses are those over the package clauses
// of its files.
func (r *reader) apply(funcs []*candidate.Func, clauses []*comment) {
	if r.empty() {
		return
	}
	pkg := r.packageScope(clauses)
	byType := make(map[string]surroundings)
	for name, list := range r.types {
		byType[name] = r.scope(list, "type "+name)
	}
	for _, f := range funcs {
		if f.Decl == nil {
			continue
		}
		around := pkg
		if own, ok := byType[f.Recv]; ok && f.Recv != "" {
			own.ignore = own.ignore || pkg.ignore
			if len(own.groups) == 0 {
				own.what, own.groups, own.names = pkg.what, pkg.groups, pkg.names
			}
			around = own
		}
		r.function(f, around)
	}
	for _, f := range funcs {
		if f.Within != nil && f.Within.Never == ignored {
			f.Never = cmp.Or(f.Never, ignored)
		}
	}
}

// A surroundings is what directives over a type or a package clause say.
type surroundings struct {
	what   string
	groups []*Ref   // each once
	names  []string // that it knows them by
	ignore bool
}

func (r *reader) scope(list []*comment, what string) surroundings {
	s := surroundings{what: what}
	var traced *comment
	for _, one := range list {
		switch one.kind {
		case "group":
			if len(one.args) == 0 {
				r.wrong(one, "want the variable of a group, or of several")
			}
			for _, name := range one.args {
				if ref := r.resolve(one, name); ref != nil && !slices.Contains(s.groups, ref) {
					s.groups, s.names = append(s.groups, ref), append(s.names, name)
				}
			}
			if traced == nil {
				traced = one
			}
		case "ignore":
			s.ignore = true
			r.alone(one)
		case "name", "info":
			r.wrong(one, "it is for functions, and stands over %s", what)
		default:
			r.unknown(one)
		}
	}
	if s.ignore && traced != nil {
		r.wrong(traced, "%s is ignored, too", what)
	}
	return s
}

// packageScope is scope for directives over package clauses, which several files may have: those
// must agree.
func (r *reader) packageScope(list []*comment) surroundings {
	const what = "the package"
	var first surroundings
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && list[n].src == list[i].src {
			n++
		}
		s := r.scope(list[i:n], what)
		if i == 0 {
			first = s
		} else if s.ignore != first.ignore || !sameGroups(s.groups, first.groups) {
			r.wrong(list[i], "the directive over the package clause at %s says something else: one is enough for a package", r.tree.Fset.Position(list[0].pos))
		}
		i = n
	}
	first.what = what
	return first
}

func sameGroups(a, b []*Ref) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(g *Ref) bool { return !slices.Contains(b, g) })
}

func (r *reader) alone(one *comment) {
	if len(one.args) > 0 {
		r.wrong(one, "want nothing behind it")
	}
}

// function applies a function's own directives, and those around it.
func (r *reader) function(f *candidate.Func, around surroundings) {
	own := make(map[string]*comment)
	for _, one := range r.funcs[f.Decl] {
		if !slices.Contains(words, one.word) {
			r.unknown(one)
			continue
		}
		if own[one.kind] != nil {
			r.wrong(one, "there is another one over %s", f.Decl.Name.Name)
		}
		own[one.kind] = one
	}
	group, info, ignore := own["group"], own["info"], own["ignore"]
	switch {
	case ignore != nil && (group != nil || info != nil):
		r.wrong(ignore, "%s is traced, too", f.Decl.Name.Name)
	case info != nil && group != nil:
		r.wrong(group, "%s is an info function, which can't be traced itself", f.Decl.Name.Name)
	case info != nil:
		r.info(f, info)
	case group != nil:
		r.group(f, group, around)
	case ignore != nil:
		r.alone(ignore)
		f.Never = cmp.Or(f.Never, ignored)
	case around.ignore:
		f.Never = cmp.Or(f.Never, ignored)
	case len(around.groups) == 1 && f.Never == "":
		r.mark(f, &Mark{Group: around.groups[0]})
	}
	if name := own["name"]; name != nil {
		r.name(f, name)
	}
}

// mark sets the mark of f, and its name for tracing.
func (r *reader) mark(f *candidate.Func, m *Mark) {
	m.Func = f
	r.marks[f] = m
	f.TracingName = f.Local()
}

func (r *reader) group(f *candidate.Func, one *comment, around surroundings) {
	switch {
	case len(one.args) != 1:
		r.wrong(one, "want one group: a function is directly in one, which others may contain")
	case f.Never != "":
		r.wrong(one, "%s can't be traced: %s", f.Decl.Name.Name, f.Never)
	default:
		ref := r.resolve(one, one.args[0])
		if ref == nil {
			return
		}
		if len(around.groups) > 1 && !slices.Contains(around.groups, ref) {
			r.wrong(one, "%s is not among the groups that %s declares: %s", one.args[0], around.what, strings.Join(around.names, ", "))
			return
		}
		r.mark(f, &Mark{Group: ref})
	}
}

// points are the kinds of info functions, by what stands behind the directive.
var points = map[string]format.InfoKind{"": format.InfoNone, "enter": format.InfoEnter, "exit": format.InfoExit}

func (r *reader) info(f *candidate.Func, one *comment) {
	name := f.Decl.Name.Name
	kind := points[strings.Join(one.args, " ")]
	switch {
	case kind == format.NotInfo:
		r.wrong(one, "want enter, exit or nothing behind it")
	case ast.IsExported(name):
		r.wrong(one, "%s is exported: want an unexported function", name)
	case f.Decl.Type.Results.NumFields() > 0:
		r.wrong(one, "%s has results: want none", name)
	case f.Decl.Body == nil:
		r.wrong(one, "%s has no body: want an empty one", name)
	case len(f.Decl.Body.List) > 0:
		r.wrong(one, "%s has a body that isn't empty", name)
	case f.Never != "":
		r.wrong(one, "%s can't be an info function: %s", name, f.Never)
	case f.Decl.Recv == nil && (name == "init" || name == "main"):
		r.wrong(one, "%s is called by the runtime", name)
	default:
		r.mark(f, &Mark{Info: kind})
	}
}

func (r *reader) name(f *candidate.Func, one *comment) {
	m := r.marks[f]
	switch {
	case len(one.args) != 1:
		r.wrong(one, "want one name")
	case m == nil:
		if len(r.errors) == 0 { // else it may be in none because of a mistake
			r.wrong(one, "%s is in no group", f.Decl.Name.Name)
		}
	default:
		f.TracingName, m.namedBy = one.args[0], one
	}
}
