package directive

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A Ref is a variable that holds a group, as directives name it.
type Ref struct {
	Package, Name string
	Place         // of the first directive that names it
	by            *comment
}

// String returns the variable with its package, as in example.com/m/p.IO.
func (r *Ref) String() string { return r.Package + "." + r.Name }

// A declaration is one on a package's top level.
type declaration struct {
	src  *syntax.Source
	kind string   // what it is, for people
	expr ast.Expr // a variable's value; nil if there is none of its own
	typ  ast.Expr // the variable's type, nil if none is written
	set  bool     // the variable is initialised
}

func declarations(t *syntax.Tree) map[string]declaration {
	decls := make(map[string]declaration)
	for _, src := range t.Build {
		for _, decl := range src.AST.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					decls[decl.Name.Name] = declaration{src: src, kind: "a function"}
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					declare(decls, src, decl.Tok, spec)
				}
			}
		}
	}
	return decls
}

func declare(decls map[string]declaration, src *syntax.Source, tok token.Token, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		decls[spec.Name.Name] = declaration{src: src, kind: "a type"}
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			d := declaration{src: src, kind: "a constant", typ: spec.Type}
			if tok == token.VAR {
				d.kind = "a variable"
				d.set = len(spec.Values) > 0
				if len(spec.Values) == len(spec.Names) {
					d.expr = spec.Values[i]
				}
			}
			decls[name.Name] = d
		}
	}
}

var groupName = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)?$`)

// resolve returns the variable that a directive names, as Go code in its file would; nil if there
// is none. Whether it holds a group is for the compiler to say, but what can't hold one is found
// here.
func (r *reader) resolve(one *comment, text string) *Ref {
	if !groupName.MatchString(text) {
		r.wrong(one, "%s: want the variable of a group, as in IO or pkg.IO", text)
		return nil
	}
	pkg, name, qualified := strings.Cut(text, ".")
	if pkg == "_" || name == "_" || qualified && pkg == "C" {
		r.wrong(one, "undefined: %s", text)
		return nil
	}
	key := [2]string{r.tree.Unit.ImportPath, text}
	decl, declared := r.decls[text]
	switch {
	case declared:
		switch {
		case decl.kind != "a variable" || r.notGroup(decl):
			r.wrong(one, "%s is %s: want a variable that holds a *waymark.Group", text, declKind(decl))
			return nil
		case nilPointer(decl.expr):
			r.wrong(one, "%s is nil: want a variable that holds what waymark.NewGroup returns", text)
			return nil
		case !decl.set:
			r.wrong(one, "%s is declared without a value: functions are put into groups before init functions run", text)
			return nil
		}
	case !qualified:
		paths := syntax.DotImports(one.src.AST)
		switch {
		case len(paths) == 0 || !ast.IsExported(text):
			r.wrong(one, "undefined: %s", text)
			return nil
		case len(paths) > 1:
			r.wrong(one, "%s may be of several packages: want pkg.%s, and an import with that name", text, text)
			return nil
		}
		key = [2]string{paths[0], text}
	default:
		path, ok := r.tree.ImportNamed(one.src.AST, pkg)
		switch {
		case !ok:
			r.wrong(one, "undefined: %s", pkg)
			return nil
		case !ast.IsExported(name):
			r.wrong(one, "%s is not exported by package %s", name, path)
			return nil
		}
		key = [2]string{path, name}
	}
	ref := r.refs[key]
	if ref == nil {
		ref = &Ref{Package: key[0], Name: key[1], Place: place(r.tree, one.pos), by: one}
		r.refs[key] = ref
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

// notGroup reports whether a variable's declaration shows that it holds no group. Where it doesn't,
// the compiler has the last word.
func (r *reader) notGroup(d declaration) bool {
	switch t := d.typ.(type) {
	case nil:
	case *ast.StarExpr:
		switch x := t.X.(type) {
		case *ast.SelectorExpr:
			return !r.fromLibrary(d.src.AST, x, "Group")
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

// fromLibrary reports whether an expression is that name of the library's.
func (r *reader) fromLibrary(tree *ast.File, e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		if !ok || e.Sel.Name != name {
			return false
		}
		path, ok := r.tree.ImportNamed(tree, id.Name)
		return ok && path == r.library
	case *ast.Ident:
		return e.Name == name && slices.Contains(syntax.DotImports(tree), r.library)
	}
	return false
}
