package funcname

import (
	"go/ast"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// linkNames returns the names under which the linker knows some functions, as the
// runtime reports them. These functions are written here, and a //go:linkname
// directive gives them to another package. The compiler takes such directives
// anywhere in the package.
func linkNames(t *syntax.Tree) map[*ast.FuncDecl]string {
	byLocal := make(map[string]string)
	for _, src := range t.Build {
		for _, group := range src.AST.Comments {
			for _, c := range group.List {
				words := strings.Fields(c.Text)
				if len(words) == 3 && words[0] == "//go:linkname" && byLocal[words[1]] == "" {
					byLocal[words[1]] = words[2]
				}
			}
		}
	}
	names := make(map[*ast.FuncDecl]string)
	for _, fn := range t.Funcs() {
		if name, ok := byLocal[fn.Name.Name]; ok && fn.Recv == nil && fn.Body != nil {
			names[fn] = name
		}
	}
	return names
}
