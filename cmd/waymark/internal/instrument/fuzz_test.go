package instrument

import (
	"go/parser"
	"go/token"
	"testing"
)

// FuzzRewrite checks that no input stops the rewriter, and that what parses
// still does when it is rewritten, on the same lines, and stays as it is when
// it is rewritten again.
func FuzzRewrite(f *testing.F) {
	for _, g := range readGoldens(f) {
		for _, src := range g.input {
			f.Add(src, true)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, closures bool) {
		g := &Group{ImportPath: "example.com/p", Files: []File{{Path: "p.go", Source: src}}}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			rewriteTwice(t, g, &Options{Closures: closures, MinCost: -1})
		} else if res, err := Rewrite(g, &Options{}); err != nil || res.Files[0].Changed {
			t.Errorf("a file with errors is changed (%v)", err)
		}
	})
}
