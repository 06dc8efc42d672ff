package directive

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/doc"
	"go/token"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A GroupVar is a variable of a package that is initialised by NewGroup.
type GroupVar struct {
	Var       string   `json:"var"`                 // with the package, as in example.com/m/p.IO
	Name      string   `json:"name"`                // of the group; empty if it isn't a constant
	Doc       string   `json:"doc,omitempty"`       // the variable's comment
	File      string   `json:"file,omitempty"`      // empty if it isn't known where it is declared
	Line      int      `json:"line,omitempty"`      //
	Subgroups []string `json:"subgroups,omitempty"` // variables; what isn't one is left out
}

// Groups returns the groups that a unit's files declare.
func Groups(u *syntax.Unit, c *syntax.Config) []GroupVar {
	for _, f := range u.Files {
		if bytes.Contains(f.Source, newGroup) {
			return (&reader{tree: syntax.Parse(u, c), library: LibraryPath}).groupVars()
		}
	}
	return nil
}

// newGroup is in all files that declare groups.
var newGroup = []byte("NewGroup(")

// groupVars returns the groups that the unit's own files declare, in source order.
func (r *reader) groupVars() (list []GroupVar) {
	r.declaredGroups(func(src *syntax.Source, name *ast.Ident, call *ast.CallExpr, docs ...*ast.CommentGroup) {
		if src.Own {
			g := r.groupVar(src, name, call)
			g.Doc = text(docs...)
			list = append(list, g)
		}
	})
	return list
}

// declaredGroups finds the variables that are initialised by a call of NewGroup.
func (r *reader) declaredGroups(found func(src *syntax.Source, name *ast.Ident, call *ast.CallExpr, docs ...*ast.CommentGroup)) {
	for _, src := range r.tree.Build {
		if !bytes.Contains(src.Source, newGroup) {
			continue
		}
		for _, decl := range src.AST.Decls {
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
					if call, ok := spec.Values[i].(*ast.CallExpr); ok && r.fromLibrary(src.AST, call.Fun, "NewGroup") {
						found(src, name, call, spec.Doc, spec.Comment, gen.Doc)
					}
				}
			}
		}
	}
}

// groupNames reports calls of NewGroup that make no group that can be used, as far as that can be
// seen.
func (r *reader) groupNames() {
	first := make(map[string]token.Pos)
	r.declaredGroups(func(src *syntax.Source, _ *ast.Ident, call *ast.CallExpr, _ ...*ast.CommentGroup) {
		wrong := func(at ast.Node, text string, args ...any) {
			if src.Own {
				r.wrongAt(at.Pos(), "NewGroup: "+fmt.Sprintf(text, args...))
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
		v := r.tree.Info.Types[call.Args[0]].Value
		if v == nil || v.Kind() != constant.String {
			return
		}
		switch name := constant.StringVal(v); {
		case !format.ValidGroupName(name):
			wrong(call.Args[0], "the name %q: want one of letters, digits and _ - . /", name)
		case first[name].IsValid():
			wrong(call.Args[0], "the group at %s is called %s, too", r.tree.Fset.Position(first[name]), name)
		default:
			first[name] = call.Args[0].Pos()
		}
	})
}

func (r *reader) groupVar(src *syntax.Source, name *ast.Ident, call *ast.CallExpr) GroupVar {
	pos := r.tree.Fset.Position(name.Pos())
	g := GroupVar{Var: r.tree.Unit.ImportPath + "." + name.Name, File: pos.Filename, Line: pos.Line}
	for i, arg := range call.Args {
		if call.Ellipsis.IsValid() && i == len(call.Args)-1 {
			break // a list of them
		}
		switch e := arg.(type) {
		case *ast.Ident:
			if i > 0 {
				g.Subgroups = append(g.Subgroups, r.tree.Unit.ImportPath+"."+e.Name)
			}
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok && i > 0 {
				if path, ok := r.tree.ImportNamed(src.AST, id.Name); ok {
					g.Subgroups = append(g.Subgroups, path+"."+e.Sel.Name)
				}
			}
		}
	}
	if len(call.Args) > 0 {
		if v := r.tree.Info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
			g.Name = constant.StringVal(v)
		}
	}
	return g
}

// FirstSentence returns the beginning of a comment's text, as lists of packages do. Programs carry
// it, so it is cut where it is long.
func FirstSentence(text string) string {
	const limit = 200 // bytes
	s := new(doc.Package).Synopsis(text)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
