package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// warn finds what looks like a mistake and fails no build, because it may be meant so. It finds
// comments that are nearly directives, subgroups that are nil, and calls of info functions that
// no monitor may ever see.
func (r *reader) warn() {
	decls := declarations(r.tree)
	for _, src := range r.tree.Files {
		if src.AST == nil || src.Reason != "" {
			continue
		}
		for _, doc := range docs(src.AST) {
			r.nearly(src, doc)
		}
		for _, decl := range src.AST.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && len(r.infos) > 0 {
				r.passedOn(fn)
			}
		}
	}
	r.declaredGroups(func(src *syntax.Source, _ *ast.Ident, call *ast.CallExpr, _ ...*ast.CommentGroup) {
		for i, arg := range call.Args {
			id, ok := arg.(*ast.Ident)
			if !ok || i == 0 || !src.Own {
				continue
			}
			if decl, ok := decls[id.Name]; ok && decl.kind == "a variable" && (nilPointer(decl.expr) || !decl.set) {
				r.warning(arg.Pos(), "NewGroup: subgroup number %d, %s, is nil when the group is made", i, id.Name)
			}
		}
	})
}

func (r *reader) warning(at token.Pos, text string, args ...any) {
	r.warnings = append(r.warnings, Diagnostic{Place: place(r.tree, at), Text: fmt.Sprintf(text, args...)})
}

// docs returns the comments that directives may stand in.
func docs(tree *ast.File) []*ast.CommentGroup {
	list := []*ast.CommentGroup{tree.Doc}
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			list = append(list, decl.Doc)
		case *ast.GenDecl:
			list = append(list, decl.Doc)
			for _, spec := range decl.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					list = append(list, t.Doc)
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(doc *ast.CommentGroup) bool { return doc == nil })
}

var nearDirective = regexp.MustCompile(`^(//[ \t]*(?i:waymark):(?i:(group|trace|ignore|name|info)))(?:[ \t]+(.*))?$`)

// nearly warns of comments that aren't directives by a blank or by their case.
func (r *reader) nearly(src *syntax.Source, doc *ast.CommentGroup) {
	for _, c := range doc.List {
		text, _, _ := strings.Cut(strings.TrimPrefix(c.Text, "//"), "//") // it may be explained
		text = "//" + strings.TrimRight(text, " \t")
		m := nearDirective.FindStringSubmatch(text)
		if m == nil || strings.HasPrefix(c.Text, Prefix) {
			continue // the latter is one, if a wrong one
		}
		word, args := strings.ToLower(m[2]), strings.Fields(m[3])
		fits := false // it isn't just a sentence about directives
		switch word {
		case "group", "trace":
			fits = len(args) > 0 && len(args) <= 4 && !slices.ContainsFunc(args, func(arg string) bool { return !groupName.MatchString(arg) })
		case "ignore":
			fits = len(args) == 0
		case "name":
			fits = len(args) == 1
		case "info":
			fits = len(args) == 0 || len(args) == 1 && (args[0] == "enter" || args[0] == "exit")
		}
		if fits {
			start := src.Offset(c.Pos())
			r.warnings = append(r.warnings, Diagnostic{
				Place: place(r.tree, c.Pos()),
				Text:  fmt.Sprintf("%s is a comment: a directive begins with %s%s, in lower case and without a blank", text, Prefix, word),
				Fix:   Fix{start, start + len(m[1]), Prefix + word},
			})
		}
	}
}

// passedOn warns of calls of info functions from function literals that others than the function
// they stand in may call.
func (r *reader) passedOn(fn *ast.FuncDecl) {
	parents := make(map[ast.Node]ast.Node)
	var path []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		if len(path) > 0 {
			parents[n] = path[len(path)-1]
		}
		path = append(path, n)
		return true
	})
	for n := range parents {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		id := calleeName(call)
		info := r.infos[origin(r.tree.Info.Uses[id])]
		if id == nil || info == nil {
			continue
		}
		for at := parents[n]; at != nil; at = parents[at] {
			if lit, ok := at.(*ast.FuncLit); ok && !r.calledHere(fn, lit, parents) {
				r.warning(call.Pos(), "%s is called from a function literal that is passed on: no monitor sees that, unless %s calls the literal itself",
					info.Decl.Name.Name, fn.Name.Name)
				break
			}
		}
	}
}

// calledHere reports whether a literal in fn is only called, deferred or started there: where it
// stands, or by a variable.
func (r *reader) calledHere(fn *ast.FuncDecl, lit *ast.FuncLit, parents map[ast.Node]ast.Node) bool {
	var value ast.Expr = lit
	parent := parents[lit]
	for {
		paren, ok := parent.(*ast.ParenExpr)
		if !ok {
			break
		}
		value, parent = paren, parents[paren]
	}
	var name *ast.Ident
	switch p := parent.(type) {
	case *ast.CallExpr:
		return p.Fun == value
	case *ast.AssignStmt:
		if i := slices.Index(p.Rhs, value); i >= 0 && len(p.Lhs) == len(p.Rhs) {
			name, _ = p.Lhs[i].(*ast.Ident)
		}
	case *ast.ValueSpec:
		if i := slices.Index(p.Values, value); i >= 0 && len(p.Names) == len(p.Values) {
			name = p.Names[i]
		}
	}
	if name == nil {
		return false
	}
	variable := r.tree.Info.ObjectOf(name)
	if v, ok := variable.(*types.Var); !ok || v.Pos() < fn.Pos() || v.Pos() > fn.End() {
		return name.Name == "_"
	}
	for n := range parents {
		use, ok := n.(*ast.Ident)
		if !ok || r.tree.Info.Uses[use] != variable {
			continue
		}
		switch p := parents[n].(type) {
		case *ast.CallExpr:
			if p.Fun == use {
				continue
			}
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, ast.Expr(use)) {
				continue
			}
		}
		return false
	}
	return true
}
