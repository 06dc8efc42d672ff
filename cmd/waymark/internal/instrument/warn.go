package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// warn finds what looks like a mistake and fails no build, because it may be meant so: comments
// that are nearly directives, subgroups that are nil, and calls of info functions that no monitor
// may ever see.
func (d *directives) warn() {
	vars := declaredVariables(d.unit)
	for _, src := range d.files {
		if src.tree == nil || src.reason != "" {
			continue
		}
		for _, doc := range docs(src.tree) {
			d.nearly(doc)
		}
		for _, decl := range src.tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && len(d.infos) > 0 {
				d.passedOn(fn)
			}
		}
	}
	d.declaredGroups(func(src *source, _ *ast.Ident, call *ast.CallExpr, _ ...*ast.CommentGroup) {
		for i, arg := range call.Args {
			id, ok := arg.(*ast.Ident)
			if !ok || i == 0 || !src.own {
				continue
			}
			if decl, ok := vars.decls[id.Name]; ok && decl.kind == "a variable" && (nilPointer(decl.expr) || !decl.set) {
				d.warning(arg.Pos(), "NewGroup: subgroup number %d, %s, is nil when the group is made", i, id.Name)
			}
		}
	})
}

func (d *directives) warning(at token.Pos, text string, args ...any) {
	d.warnings = append(d.warnings, Diagnostic{d.place(at), fmt.Sprintf(text, args...)})
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

var nearDirective = regexp.MustCompile(`^//[ \t]*(?i:waymark):(?i:(trace|ignore|name|info))(?:[ \t]+(.*))?$`)

// nearly warns of comments that aren't directives by a blank or by their case.
func (d *directives) nearly(doc *ast.CommentGroup) {
	for _, c := range doc.List {
		text, _, _ := strings.Cut(strings.TrimPrefix(c.Text, "//"), "//") // it may be explained
		text = "//" + strings.TrimRight(text, " \t")
		m := nearDirective.FindStringSubmatch(text)
		if m == nil || strings.HasPrefix(c.Text, directivePrefix) {
			continue // the latter is one, if a wrong one
		}
		word, args := strings.ToLower(m[1]), strings.Fields(m[2])
		fits := false // it isn't just a sentence about directives
		switch word {
		case "trace":
			fits = len(args) > 0 && len(args) <= 4 && !slices.ContainsFunc(args, func(arg string) bool { return !groupName.MatchString(arg) })
		case "ignore":
			fits = len(args) == 0
		case "name":
			fits = len(args) == 1
		case "info":
			fits = len(args) == 0 || len(args) == 1 && (args[0] == "enter" || args[0] == "exit")
		}
		if fits {
			d.warning(c.Pos(), "%s is a comment: a directive begins with %s%s, in lower case and without a blank", text, directivePrefix, word)
		}
	}
}

// passedOn warns of calls of info functions from function literals that others than the function
// they stand in may call.
func (d *directives) passedOn(fn *ast.FuncDecl) {
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
		info := d.infos[origin(d.unit.info.Uses[id])]
		if id == nil || info == nil {
			continue
		}
		for at := parents[n]; at != nil; at = parents[at] {
			if lit, ok := at.(*ast.FuncLit); ok && !d.calledHere(fn, lit, parents) {
				d.warning(call.Pos(), "%s is called from a function literal that is passed on: no monitor sees that, unless %s calls the literal itself",
					info.decl.Name.Name, fn.Name.Name)
				break
			}
		}
	}
}

// calledHere reports whether a literal in fn is only called, deferred or started there: where it
// stands, or by a variable.
func (d *directives) calledHere(fn *ast.FuncDecl, lit *ast.FuncLit, parents map[ast.Node]ast.Node) bool {
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
	variable := d.unit.info.ObjectOf(name)
	if v, ok := variable.(*types.Var); !ok || v.Pos() < fn.Pos() || v.Pos() > fn.End() {
		return name.Name == "_"
	}
	for n := range parents {
		use, ok := n.(*ast.Ident)
		if !ok || d.unit.info.Uses[use] != variable {
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
