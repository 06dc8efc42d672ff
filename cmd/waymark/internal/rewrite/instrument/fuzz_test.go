package instrument

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// FuzzRewrite checks that no input stops the rewriter. What parses must still
// parse when it is rewritten, on the same lines. And it must stay as it is when
// it is rewritten again.
func FuzzRewrite(f *testing.F) {
	for _, u := range readGoldens(f) {
		for _, src := range u.input {
			f.Add(src, true)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, closures bool) {
		u := &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "p.go", Source: src}}}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			rewriteTwice(t, u, &Options{Closures: closures, MinCost: -1}, nil)
		} else if res, err := rewrite(u, &Options{}, nil); err != nil || res.files[0].changed {
			t.Errorf("a file with errors is changed (%v)", err)
		}
	})
}
