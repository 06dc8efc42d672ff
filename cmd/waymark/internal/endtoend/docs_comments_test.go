package endtoend

import (
	"encoding/json"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// publicPackages are the packages that users import. The code in a package comment may use what
// follows after the package's name: declarations that stand for the user's own.
var publicPackages = []struct {
	dir     string
	blocks  int
	prelude string
}{
	{".", 1, "type Stream struct{}"},
	{"monitor", 1, "var stream struct{ IO *waymark.Group }"},
	{"stats", 1, ""},
	{"timing", 3, "var stream struct{ IO *waymark.Group }\nvar r request\nvar b []byte\ntype Conn struct{}\ntype request struct{}\nfunc (request) marshal() []byte { return nil }"},
	{"histogram", 1, "var start time.Time"},
	{"sampler", 1, ""},
	{"callgraph", 1, "var tree *callgraph.Tree\nvar file *os.File"},
	{"value", 1, "var ev tracefile.Event\nvar file *tracefile.File"},
	{"tracefile", 2, "var f *tracefile.File"},
	{"agent", 0, ""},
	{"contrib/prometheus", 1, ""},
}

// TestDocsComments compiles the code in the package comments of the packages that users import. The
// code of the root package is a program, which is built by waymark and run.
func TestDocsComments(t *testing.T) {
	library := repository.Path(t, "")
	for _, p := range publicPackages {
		t.Run(p.dir, func(t *testing.T) {
			t.Parallel()
			blocks := packageCode(t, filepath.Join(library, p.dir))
			if len(blocks) != p.blocks {
				t.Errorf("the package comment has %d pieces of code, want %d: %q", len(blocks), p.blocks, blocks)
			}
			for _, block := range blocks {
				if out := errorsOf(compileIn(t, filepath.Join(library, p.dir), commentSource(block, p.prelude))); out != "" {
					t.Errorf("the code does not compile:\n%s\n%s", out, block)
				}
			}
		})
	}
	t.Run("run", func(t *testing.T) {
		blocks := packageCode(t, library)
		if len(blocks) == 0 {
			t.Fatal("the root's package comment has no code, want a program")
		}
		source := strings.Replace(blocks[0], "\t...\n", "\tnew(Stream).ReadInt()\n", 1)
		source = strings.Replace(source, "{ ... }", "{ return 7, nil }", 1)
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n\nrequire github.com/waymark-go/waymark v0.0.0\n\n"+
			"replace github.com/waymark-go/waymark => "+library+"\n")
		write(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t\"log\"\n\t\"os\"\n\n\t\"github.com/waymark-go/waymark\"\n)\n\n"+
			"type Stream struct{}\n\nvar _ = log.Fatal\n\n"+strings.Replace(source, "\ta.Close()\n", "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\ta.Close()\n", 1))
		if out, err := runIn(dir, tool(t), "build", "-o", "program", "."); err != nil {
			t.Fatalf("waymark build: %v\n%s", err, out)
		}
		out, err := runIn(dir, "./program")
		if err != nil || !strings.Contains(out, "> m.Stream.ReadInt(") || !strings.Contains(out, "< m.Stream.ReadInt = 7, <nil>") {
			t.Errorf("the program of the root's package comment ends with %v and prints:\n%s\nwant a call of m.Stream.ReadInt with its results 7, <nil>", err, out)
		}
	})
}

// packageCode returns the Go code in the comment of the package in a folder.
func packageCode(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		var p comment.Parser
		for _, piece := range p.Parse(file.Doc.Text()).Content {
			// What has neither calls nor comments is a table.
			if code, ok := piece.(*comment.Code); ok && strings.ContainsAny(code.Text, "(/") {
				list = append(list, code.Text)
			}
		}
	}
	return list
}

// commentSource makes a file of code, in which "..." stands for anything.
func commentSource(code, prelude string) string {
	code = regexp.MustCompile(`(?m)^\s*\.\.\.\n`).ReplaceAllString(code, "")
	code = strings.ReplaceAll(code, "{ ... }", "{ panic(0) }")
	own := ""
	if strings.HasPrefix(code, "import (") {
		own, code, _ = strings.Cut(code, "\n)\n")
		own += "\n)\n"
	}
	imports := make(map[string]string)
	for name, path := range importsOf {
		if !strings.Contains(prelude, "var "+name+" ") && !strings.Contains(own, "/"+name+"\"") {
			imports[name] = path
		}
	}
	var used string
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\n"+code, parser.SkipObjectResolution); err != nil {
		code = "func _() error {\n" + code + "return nil\n}\n"
	}
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code + prelude) {
			used += "import " + name + " \"" + path + "\"\n"
		}
	}
	return "package snippet\n\n" + used + own + "\n" + prelude + "\n\n" + code
}

// compileIn compiles a file as if it were a package below the folder.
func compileIn(t *testing.T, dir, source string) (string, error) {
	t.Helper()
	folder, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "snippet.go")
	write(t, file, source)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, "snippet", "snippet.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, file+".json", string(overlay))
	return runEnv(dir, nil, "go", "build", "-gcflags=-e", "-overlay="+file+".json", "./snippet")
}
