package instrument

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A directive is a comment that tells waymark about what is below it:
//
//	//waymark:trace Group...      over a function, a type or a package clause
//	//waymark:ignore              the same: nothing of it is instrumented
//	//waymark:name Name           over a function: what tracing calls it
//	//waymark:info [enter|exit]   over a function with an empty body: an info function
type directive struct {
	word string
	args []string
	pos  token.Pos
	src  *source
}

const directivePrefix = "//waymark:"

func parseDirective(src *source, c *ast.Comment) (d *directive, ok bool) {
	text, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok {
		return nil, false
	}
	d = &directive{pos: c.Pos(), src: src}
	// What is behind it may be explained, as in Go's own directives.
	text, _, _ = strings.Cut(text, "//")
	if fields := strings.Fields(text); len(fields) > 0 && strings.HasPrefix(text, fields[0]) {
		d.word, d.args = fields[0], fields[1:]
	}
	return d, true
}

// A Diagnostic is a mistake in a directive, or in the use of an info function.
type Diagnostic struct {
	Place
	Text string
}

// A Place is a position, as line directives say, and the file that it is really in.
type Place struct {
	Pos  token.Position
	File string
}

func (u *unit) place(pos token.Pos) Place {
	return Place{u.fset.Position(pos), u.fset.PositionFor(pos, false).Filename}
}

func (d Diagnostic) String() string { return d.Pos.String() + ": " + d.Text }

// Diagnostics is an error that lists mistakes in the order of their positions.
type Diagnostics []Diagnostic

func (d Diagnostics) Error() string {
	lines := make([]string, len(d))
	for i := range d {
		lines[i] = d[i].String()
	}
	return strings.Join(lines, "\n")
}

// directives is what the directives in a group's files say.
type directives struct {
	*unit
	clause []*directive            // over package clauses of the group's own files
	with   []*directive            // and over those that they are compiled with
	types  map[string][]*directive // by the type's name
	funcs  map[*ast.FuncDecl][]*directive
	vars   variables
	infos  map[types.Object]*function // info functions

	errors   Diagnostics
	warnings Diagnostics // of what may be meant so, and fails no build
}

// readDirectives finds all directives. Those that stand over nothing are mistakes.
func readDirectives(u *unit) *directives {
	d := &directives{unit: u, types: make(map[string][]*directive), funcs: make(map[*ast.FuncDecl][]*directive)}
	if u.opts.NoDirectives {
		return d
	}
	for _, src := range u.build {
		// A file that waymark has rewritten says what it had to say.
		if src.reason == "" && bytes.Contains(src.Source, []byte(directivePrefix)) {
			d.file(src)
		}
	}
	if !d.empty() {
		d.vars = declaredVariables(u)
	}
	d.groupNames()
	return d
}

func (d *directives) empty() bool { return len(d.clause)+len(d.with)+len(d.types)+len(d.funcs) == 0 }

func (d *directives) file(src *source) {
	attached := make(map[token.Pos]bool)
	take := func(doc *ast.CommentGroup) (list []*directive) {
		if doc == nil {
			return nil
		}
		for _, c := range doc.List {
			if one, ok := parseDirective(src, c); ok {
				attached[one.pos] = true
				list = append(list, one)
			}
		}
		return list
	}
	if list := take(src.tree.Doc); src.own {
		d.clause = append(d.clause, list...)
	} else {
		d.with = append(d.with, list...)
	}
	for _, decl := range src.tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if list := take(decl.Doc); list != nil {
				d.funcs[decl] = list
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
					d.wrong(list[0], "%s has no methods of its own: want it over a defined type that isn't an interface", spec.Name.Name)
					continue
				}
				d.types[spec.Name.Name] = list
			}
		}
	}
	for _, group := range src.tree.Comments {
		for _, c := range group.List {
			if one, ok := parseDirective(src, c); ok && !attached[one.pos] {
				d.wrong(one, "it stands over nothing that can be traced: want it directly over a function, a type or the package clause")
			}
		}
	}
}

// wrong reports a mistake in a directive. Files of other groups are checked with those.
func (d *directives) wrong(one *directive, text string, args ...any) {
	if one.src.own {
		d.errors = append(d.errors, Diagnostic{d.place(one.pos), "//waymark:" + one.word + ": " + fmt.Sprintf(text, args...)})
	}
}

// apply says of each function what the directives say of it; clauses are those over the package clauses of its files.
func (d *directives) apply(funcs []*function, clauses []*directive) {
	if d.empty() {
		return
	}
	pkg := d.packageScope(clauses)
	byType := make(map[string]surroundings)
	for name, list := range d.types {
		byType[name] = d.scope(list, "type "+name)
	}
	for _, f := range funcs {
		if f.decl == nil {
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
		d.function(f, around)
	}
	for _, f := range funcs {
		if f.within != nil && f.within.never == ignored {
			f.never = cmp.Or(f.never, ignored)
		}
	}
}

const ignored = "//waymark:ignore"

// A surroundings is what directives over a type or a package clause say.
type surroundings struct {
	what   string
	groups []*groupRef // each once
	names  []string    // that it knows them by
	ignore bool
}

func (d *directives) scope(list []*directive, what string) surroundings {
	s := surroundings{what: what}
	var traced *directive
	for _, one := range list {
		switch one.word {
		case "trace":
			if len(one.args) == 0 {
				d.wrong(one, "want the variable of a group, or of several")
			}
			for _, name := range one.args {
				if ref := d.resolve(one, name); ref != nil && !slices.Contains(s.groups, ref) {
					s.groups, s.names = append(s.groups, ref), append(s.names, name)
				}
			}
			if traced == nil {
				traced = one
			}
		case "ignore":
			s.ignore = true
			d.alone(one)
		case "name", "info":
			d.wrong(one, "it is for functions, and stands over %s", what)
		default:
			d.unknown(one)
		}
	}
	if s.ignore && traced != nil {
		d.wrong(traced, "%s is ignored, too", what)
	}
	return s
}

// packageScope is scope for directives over package clauses, which several files may have: those must agree.
func (d *directives) packageScope(list []*directive) surroundings {
	const what = "the package"
	var first surroundings
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && list[n].src == list[i].src {
			n++
		}
		s := d.scope(list[i:n], what)
		if i == 0 {
			first = s
		} else if s.ignore != first.ignore || !sameGroups(s.groups, first.groups) {
			d.wrong(list[i], "the directive over the package clause at %s says something else: one is enough for a package", d.fset.Position(list[0].pos))
		}
		i = n
	}
	first.what = what
	return first
}

func sameGroups(a, b []*groupRef) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(g *groupRef) bool { return !slices.Contains(b, g) })
}

func (d *directives) unknown(one *directive) {
	if word := strings.ToLower(one.word); word != one.word && slices.Contains(words, word) {
		d.wrong(one, "there is no such directive: want %s in lower case", word)
		return
	}
	d.wrong(one, "there is no such directive: want trace, ignore, name or info")
}

// words are those of directives.
var words = []string{"trace", "ignore", "name", "info"}

func (d *directives) alone(one *directive) {
	if len(one.args) > 0 {
		d.wrong(one, "want nothing behind it")
	}
}

// function applies a function's own directives, and those around it.
func (d *directives) function(f *function, around surroundings) {
	own := make(map[string]*directive)
	for _, one := range d.funcs[f.decl] {
		switch one.word {
		case "trace", "ignore", "name", "info":
			if own[one.word] != nil {
				d.wrong(one, "there is another one over %s", f.decl.Name.Name)
			}
			own[one.word] = one
		default:
			d.unknown(one)
		}
	}
	trace, info, ignore := own["trace"], own["info"], own["ignore"]
	switch {
	case ignore != nil && (trace != nil || info != nil):
		d.wrong(ignore, "%s is traced, too", f.decl.Name.Name)
	case info != nil && trace != nil:
		d.wrong(trace, "%s is an info function, which can't be traced itself", f.decl.Name.Name)
	case info != nil:
		d.info(f, info)
	case trace != nil:
		d.trace(f, trace, around)
	case ignore != nil:
		d.alone(ignore)
		f.never = cmp.Or(f.never, ignored)
	case around.ignore:
		f.never = cmp.Or(f.never, ignored)
	case len(around.groups) == 1 && f.never == "":
		f.group = around.groups[0]
	}
	if f.group != nil || f.info {
		f.tracing = f.Base
		if f.Recv != "" {
			f.tracing = f.Recv + "." + f.Base
		}
	}
	if name := own["name"]; name != nil {
		d.name(f, name)
	}
}

func (d *directives) trace(f *function, one *directive, around surroundings) {
	switch {
	case len(one.args) != 1:
		d.wrong(one, "want one group: a function is directly in one, which others may contain")
	case f.never != "":
		d.wrong(one, "%s can't be traced: %s", f.decl.Name.Name, f.never)
	default:
		ref := d.resolve(one, one.args[0])
		if ref != nil && len(around.groups) > 1 && !slices.Contains(around.groups, ref) {
			d.wrong(one, "%s is not among the groups that %s declares: %s", one.args[0], around.what, strings.Join(around.names, ", "))
			return
		}
		f.group = ref
	}
}

func (d *directives) info(f *function, one *directive) {
	name := f.decl.Name.Name
	switch {
	case len(one.args) > 1 || len(one.args) == 1 && one.args[0] != "enter" && one.args[0] != "exit":
		d.wrong(one, "want enter, exit or nothing behind it")
	case ast.IsExported(name):
		d.wrong(one, "%s is exported: want an unexported function", name)
	case f.decl.Type.Results.NumFields() > 0:
		d.wrong(one, "%s has results: want none", name)
	case f.decl.Body == nil:
		d.wrong(one, "%s has no body: want an empty one", name)
	case len(f.decl.Body.List) > 0:
		d.wrong(one, "%s has a body that isn't empty", name)
	case f.never != "":
		d.wrong(one, "%s can't be an info function: %s", name, f.never)
	case f.decl.Recv == nil && (name == "init" || name == "main"):
		d.wrong(one, "%s is called by the runtime", name)
	default:
		f.info = true
		f.point = strings.Join(one.args, "")
	}
}

func (d *directives) name(f *function, one *directive) {
	switch {
	case len(one.args) != 1:
		d.wrong(one, "want one name")
	case f.tracing == "":
		if len(d.errors) == 0 { // else it may be in none because of a mistake
			d.wrong(one, "%s is in no group", f.decl.Name.Name)
		}
	default:
		f.tracing, f.namedBy = one.args[0], one
	}
}

// all applies the directives to all functions, and gives those that have some, by id. Functions of the files
// that the group is compiled with come before them.
func (d *directives) all(funcs, with []*function) []*function {
	d.apply(with, d.with)
	clauses := d.clause
	if len(clauses) == 0 {
		clauses = d.with // tests are in what the package is in
	}
	d.apply(funcs, clauses)
	d.infoCalls(funcs, with)
	return d.numberFunctions(funcs, with)
}

// numberFunctions gives ids to functions with directives: their places among the sorted
// tracing names. It reports names that two have.
func (d *directives) numberFunctions(funcs, with []*function) (list []*function) {
	first := make(map[string]*function)
	for _, f := range with {
		if f.tracing != "" {
			first[f.tracing] = f
		}
	}
	for _, f := range funcs {
		if f.tracing == "" {
			continue
		}
		list = append(list, f)
		other := first[f.tracing]
		if other == nil {
			first[f.tracing] = f
			continue
		}
		one := f.namedBy
		if one == nil {
			one = &directive{word: "name", pos: f.decl.Name.Pos(), src: f.src}
		}
		d.wrong(one, "%s is what the function at %s is called, too: name one of them otherwise", f.tracing, d.fset.Position(other.decl.Name.Pos()))
	}
	slices.SortStableFunc(list, func(a, b *function) int { return cmp.Compare(a.tracing, b.tracing) })
	return list
}

// mistakes gives all that were found, in the order of their positions; nil if there are none.
func (d *directives) mistakes() error {
	if len(d.errors) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errors, func(a, b Diagnostic) int {
		return cmp.Or(comparePositions(a.Pos, b.Pos), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(d.errors)
}

func comparePositions(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
}
