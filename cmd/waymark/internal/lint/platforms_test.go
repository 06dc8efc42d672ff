package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// TestPlatforms checks the types of the library, of the command and of their tests for other
// platforms, with all that they import, from source. make test-long and make test-cross compile them,
// which takes ten times as long when the go command's cache is empty.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds for each platform")
	}
	for _, platform := range []string{"windows/amd64", "linux/386"} { // darwin/arm64 with make test-long
		t.Run(strings.ReplaceAll(platform, "/", "_"), func(t *testing.T) {
			checkPlatform(t, platform)
		})
	}
}

// checkPlatform reports what doesn't compile.
func checkPlatform(t *testing.T, platform string) {
	t.Helper()
	root := repository.Path(t, "")
	system, arch, _ := strings.Cut(platform, "/")
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Dir:   root,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, root) {
				for _, d := range f.Decls { // what others' functions do is their affair
					if d, ok := d.(*ast.FuncDecl); ok {
						d.Body = nil
					}
				}
			}
			return f, err
		},
	}, "./...", "./cmd/waymark/...")
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module == nil || !strings.HasPrefix(p.Module.Path, "github.com/waymark-go/") || strings.HasSuffix(p.ID, ".test") {
			return
		}
		own++
		for _, e := range p.Errors {
			t.Error(e)
		}
	})
	if own < 50 {
		t.Errorf("%d packages are waymark's; want fifty at least", own)
	}
}
