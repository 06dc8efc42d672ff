package funcname

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// Declared returns the names of the functions that a file of the unit's package declares. It looks
// at the file's syntax only, and ignores mistakes in it.
func Declared(u *syntax.Unit, src []byte) (names []string) {
	file, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			names = append(names, Prefix(u)+written(fn).String())
		}
	}
	return names
}
