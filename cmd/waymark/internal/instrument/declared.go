package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// Declared returns the names of the functions that a file of the group's package declares, as
// runtime.FuncForPC gives them. It looks at the file's syntax only, and ignores mistakes in it.
func Declared(g *Group, src []byte) (names []string) {
	file, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		s := symbol{base: fn.Name.Name, ordinal: -1, generic: fn.Type.TypeParams != nil}
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			s.recv, s.pointer, s.genericRecv = receiver(fn.Recv.List[0].Type)
		}
		names = append(names, linkPrefix(g)+s.String())
	}
	return names
}
