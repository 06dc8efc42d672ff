package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/format"
)

// libraryPath is where type Group is.
const libraryPath = "github.com/waymark-go/waymark"

// A groupRef is a variable that holds a group, as a directive names it.
type groupRef struct {
	path, name string     // of its package, and its own
	by         *directive // the first one that names it
}

// variables are the declarations on a package's top level, by name.
type variables struct {
	decls map[string]declaration
	refs  map[[2]string]*groupRef
}

type declaration struct {
	src  *source
	kind string   // what it is, for people
	expr ast.Expr // a variable's value; nil if there is none of its own
	typ  ast.Expr // the variable's type, nil if none is written
	set  bool     // the variable is initialised
	name *ast.Ident
}

func declaredVariables(u *unit) variables {
	v := variables{decls: make(map[string]declaration), refs: make(map[[2]string]*groupRef)}
	for _, src := range u.build {
		for _, decl := range src.tree.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					v.decls[decl.Name.Name] = declaration{src: src, kind: "a function", name: decl.Name}
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					v.spec(src, decl.Tok, spec)
				}
			}
		}
	}
	return v
}

func (v variables) spec(src *source, tok token.Token, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		v.decls[spec.Name.Name] = declaration{src: src, kind: "a type", name: spec.Name}
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			d := declaration{src: src, kind: "a constant", typ: spec.Type, name: name}
			if tok == token.VAR {
				d.kind = "a variable"
				d.set = len(spec.Values) > 0
				if len(spec.Values) == len(spec.Names) {
					d.expr = spec.Values[i]
				}
			}
			v.decls[name.Name] = d
		}
	}
}

var groupName = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)?$`)

// resolve gives the variable that a directive names, as Go code in its file would; nil if there is none.
// Whether it holds a group is for the compiler to say, but what can't hold one is found here.
func (d *directives) resolve(one *directive, text string) *groupRef {
	if !groupName.MatchString(text) {
		d.wrong(one, "%s: want the variable of a group, as in IO or pkg.IO", text)
		return nil
	}
	pkg, name, qualified := strings.Cut(text, ".")
	if pkg == "_" || name == "_" || qualified && pkg == "C" {
		d.wrong(one, "undefined: %s", text)
		return nil
	}
	key := [2]string{d.group.ImportPath, text}
	decl, declared := d.vars.decls[text]
	switch {
	case declared:
		switch {
		case decl.kind != "a variable" || d.notGroup(decl):
			d.wrong(one, "%s is %s: want a variable that holds a *waymark.Group", text, declKind(decl))
			return nil
		case nilPointer(decl.expr):
			d.wrong(one, "%s is nil: want a variable that holds what waymark.NewGroup returns", text)
			return nil
		case !decl.set:
			d.wrong(one, "%s is declared without a value: functions are put into groups before init functions run", text)
			return nil
		}
	case !qualified:
		path, n := dotImport(one.src.tree)
		switch {
		case n == 0 || !ast.IsExported(text):
			d.wrong(one, "undefined: %s", text)
			return nil
		case n > 1:
			d.wrong(one, "%s may be of several packages: want pkg.%s, and an import with that name", text, text)
			return nil
		}
		key = [2]string{path, text}
	default:
		path, ok := d.importNamed(one.src.tree, pkg)
		switch {
		case !ok:
			d.wrong(one, "undefined: %s", pkg)
			return nil
		case !ast.IsExported(name):
			d.wrong(one, "%s is not exported by package %s", name, path)
			return nil
		}
		key = [2]string{path, name}
	}
	ref := d.vars.refs[key]
	if ref == nil {
		ref = &groupRef{path: key[0], name: key[1], by: one}
		d.vars.refs[key] = ref
	}
	return ref
}

// nilPointer reports whether an expression is nil, or nil of a type.
func nilPointer(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name == "nil"
	case *ast.CallExpr:
		_, pointer := ast.Unparen(e.Fun).(*ast.StarExpr)
		return pointer && len(e.Args) == 1 && nilPointer(e.Args[0])
	}
	return false
}

func declKind(d declaration) string {
	if d.kind == "a variable" {
		return "a variable of another type"
	}
	return d.kind
}

// notGroup tells whether a variable's declaration shows that it holds no group. Where it doesn't, the compiler has
// the last word.
func (u *unit) notGroup(d declaration) bool {
	switch t := d.typ.(type) {
	case nil:
	case *ast.StarExpr:
		switch x := t.X.(type) {
		case *ast.SelectorExpr:
			return !u.fromLibrary(d.src.tree, x, "Group")
		case *ast.Ident:
			return types.Universe.Lookup(x.Name) != nil
		}
		return false
	case *ast.Ident:
		return types.Universe.Lookup(t.Name) != nil
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType:
		return true
	}
	switch e := d.expr.(type) {
	case *ast.BasicLit, *ast.CompositeLit, *ast.FuncLit, *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.AND
	}
	return false
}

// fromLibrary tells whether an expression is that name of the library's.
func (u *unit) fromLibrary(tree *ast.File, e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if !ok || e.Sel.Name != name {
			return false
		}
		path, ok := u.importNamed(tree, id.Name)
		return ok && path == u.opts.library()
	case *ast.Ident:
		return e.Name == name && slices.ContainsFunc(tree.Imports, func(spec *ast.ImportSpec) bool {
			return spec.Name != nil && spec.Name.Name == "." && importPath(spec) == u.opts.library()
		})
	}
	return false
}

// importNamed gives the path of the package that a file imports by a name.
func (u *unit) importNamed(tree *ast.File, name string) (string, bool) {
	for _, spec := range tree.Imports {
		p := importPath(spec)
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return p, true
			}
		case u.opts.packageName(p) == name:
			return p, true
		}
	}
	return "", false
}

// dotImport gives the path of a package whose names a file may use as its own, and how many such there are.
func dotImport(tree *ast.File) (path string, n int) {
	for _, spec := range tree.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			path = importPath(spec)
			n++
		}
	}
	return path, n
}

// packageName gives the name of the package with that path, or what it probably is.
func (o *Options) packageName(path string) string {
	if o.PackageName != nil {
		if name := o.PackageName(path); name != "" {
			return name
		}
	}
	return GuessName(path)
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// GuessName gives the name that a package with that path probably has.
func GuessName(p string) string {
	base := path.Base(p)
	if majorVersion.MatchString(base) && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".v") // gopkg.in/yaml.v3
	base = strings.TrimPrefix(base, "go-")
	return strings.ReplaceAll(base, "-", "_")
}

// A GroupVar is a variable of a package that is initialised by NewGroup.
type GroupVar struct {
	Var       string   `json:"var"`                 // with the package, as in example.com/m/p.IO
	Name      string   `json:"name"`                // of the group; empty if it isn't known, as where it isn't a constant
	Doc       string   `json:"doc,omitempty"`       // the variable's comment
	File      string   `json:"file,omitempty"`      // empty if it isn't known where it is declared
	Line      int      `json:"line,omitempty"`      //
	Subgroups []string `json:"subgroups,omitempty"` // variables; what isn't one is left out
}

// groupVars lists the groups that the group's own files declare, in source order.
func groupVars(u *unit) (list []GroupVar) {
	u.declaredGroups(func(src *source, name *ast.Ident, call *ast.CallExpr, docs ...*ast.CommentGroup) {
		if src.own {
			g := u.groupVar(src, name, call)
			g.Doc = firstText(docs...)
			list = append(list, g)
		}
	})
	return list
}

// declaredGroups finds the variables that are initialised by a call of NewGroup.
func (u *unit) declaredGroups(found func(src *source, name *ast.Ident, call *ast.CallExpr, docs ...*ast.CommentGroup)) {
	for _, src := range u.build {
		if !bytes.Contains(src.Source, []byte("NewGroup(")) {
			continue
		}
		for _, decl := range src.tree.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				if len(spec.Values) != len(spec.Names) {
					continue
				}
				for i, name := range spec.Names {
					if call, ok := spec.Values[i].(*ast.CallExpr); ok && u.fromLibrary(src.tree, call.Fun, "NewGroup") {
						found(src, name, call, spec.Doc, spec.Comment, gen.Doc)
					}
				}
			}
		}
	}
}

// groupNames reports calls of NewGroup that make no group that can be used, as far as that can be seen.
func (d *directives) groupNames() {
	first := make(map[string]token.Pos)
	d.declaredGroups(func(src *source, _ *ast.Ident, call *ast.CallExpr, _ ...*ast.CommentGroup) {
		wrong := func(at ast.Node, text string, args ...any) {
			if src.own {
				d.errors = append(d.errors, Diagnostic{d.place(at.Pos()), "NewGroup: " + fmt.Sprintf(text, args...)})
			}
		}
		for i, arg := range call.Args {
			if id, ok := arg.(*ast.Ident); ok && i > 0 && id.Name == "nil" {
				wrong(arg, "subgroup number %d is nil", i)
			}
		}
		if len(call.Args) == 0 {
			return
		}
		v := d.unit.info.Types[call.Args[0]].Value
		if v == nil || v.Kind() != constant.String {
			return
		}
		switch name := constant.StringVal(v); {
		case !format.ValidGroupName(name):
			wrong(call.Args[0], "the name %q: want one of letters, digits and _ - . /", name)
		case first[name].IsValid():
			wrong(call.Args[0], "the group at %s is called %s, too", d.fset.Position(first[name]), name)
		default:
			first[name] = call.Args[0].Pos()
		}
	})
}

func (u *unit) groupVar(src *source, name *ast.Ident, call *ast.CallExpr) GroupVar {
	pos := u.fset.Position(name.Pos())
	g := GroupVar{Var: u.group.ImportPath + "." + name.Name, File: pos.Filename, Line: pos.Line}
	for i, arg := range call.Args {
		if call.Ellipsis.IsValid() && i == len(call.Args)-1 {
			break // a list of them
		}
		switch e := arg.(type) {
		case *ast.Ident:
			if i > 0 {
				g.Subgroups = append(g.Subgroups, u.group.ImportPath+"."+e.Name)
			}
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok && i > 0 {
				if path, ok := u.importNamed(src.tree, id.Name); ok {
					g.Subgroups = append(g.Subgroups, path+"."+e.Sel.Name)
				}
			}
		}
	}
	if len(call.Args) > 0 {
		if v := u.info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
			g.Name = constant.StringVal(v)
		}
	}
	return g
}

// firstText gives the text of the first comment that there is, without directives, as one line.
func firstText(list ...*ast.CommentGroup) string {
	for _, doc := range list {
		if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
