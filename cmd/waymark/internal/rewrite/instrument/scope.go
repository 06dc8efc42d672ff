package instrument

import (
	"go/ast"
	"go/token"
)

// scopes tracks which named results of a function are shadowed at a point of
// its body. Only declarations in scopes below the outermost one count: there,
// results can't be declared again, and := assigns to them.
type scopes struct {
	results map[string]bool
	hidden  []string // results declared in inner scopes, innermost last
	marks   []int    // len(hidden) at the start of each open inner scope
}

func newScopes(typ *ast.FuncType) *scopes {
	s := &scopes{results: make(map[string]bool)}
	if typ.Results != nil {
		for _, field := range typ.Results.List {
			for _, name := range field.Names {
				if name.Name != "_" {
					s.results[name.Name] = true
				}
			}
		}
	}
	return s
}

func (s *scopes) open() {
	s.marks = append(s.marks, len(s.hidden))
}

func (s *scopes) close() {
	last := len(s.marks) - 1
	s.hidden = s.hidden[:s.marks[last]]
	s.marks = s.marks[:last]
}

// shadowed reports whether a result is hidden in the innermost scope.
func (s *scopes) shadowed() bool {
	return len(s.hidden) > 0
}

// define notes that a name, if expr is one, is declared in the innermost scope.
func (s *scopes) define(expr ast.Expr) {
	if id, ok := expr.(*ast.Ident); ok && len(s.marks) > 0 && s.results[id.Name] {
		s.hidden = append(s.hidden, id.Name)
	}
}

// assign notes what a := declares. A name that the scope already has is
// declared once more here, which changes nothing.
func (s *scopes) assign(stmt *ast.AssignStmt) {
	if stmt.Tok != token.DEFINE {
		return
	}
	for _, e := range stmt.Lhs {
		s.define(e)
	}
}

func (s *scopes) declare(decl ast.Decl) {
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				s.define(name)
			}
		case *ast.TypeSpec:
			s.define(spec.Name)
		}
	}
}
