package endtoend

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// importsOf are the packages that a snippet of a document may use without an import.
var importsOf = map[string]string{
	"waymark": "github.com/waymark-go/waymark", "monitor": "github.com/waymark-go/waymark/monitor",
	"stats": "github.com/waymark-go/waymark/stats", "timing": "github.com/waymark-go/waymark/timing",
	"tracefile": "github.com/waymark-go/waymark/tracefile", "value": "github.com/waymark-go/waymark/value",
	"stream": "github.com/waymark-go/waymark/examples/facility/stream",
	"atomic": "sync/atomic", "errors": "errors", "flag": "flag", "fmt": "fmt", "histogram": "github.com/waymark-go/waymark/histogram",
	"sampler": "github.com/waymark-go/waymark/sampler", "remote": "github.com/waymark-go/waymark/remote", "callgraph": "github.com/waymark-go/waymark/callgraph", "http": "net/http", "log": "log", "os": "os", "slog": "log/slog", "time": "time",
}

// TestDocsGo compiles each Go block of the documents, and runs programs. Blocks that begin with a
// package clause are files: a program, or a package that later blocks of the document may use.
// Other blocks are declarations or statements. A program is built by waymark. If a text block
// follows, the program must print it, but for numbers, times and the lines that "..." stands for.
func TestDocsGo(t *testing.T) {
	library := repository.Path(t, "")
	block := regexp.MustCompile("(?ms)^```go\n(.*?)^```\n(?:(?:\n[^\n]+:\n)?\n```text\n(.*?)^```\n)?")
	clause := regexp.MustCompile(`(?m)^package (\w+)$`)
	blocks := 0
	for _, document := range repository.Documents(t) {
		text := repository.Read(t, document)
		found := block.FindAllStringSubmatchIndex(text, -1)
		if len(found) == 0 {
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n\n"+
			"require (\n\tgithub.com/waymark-go/waymark v0.0.0\n\tgithub.com/waymark-go/waymark/examples/facility v0.0.0\n)\n\n"+
			"replace github.com/waymark-go/waymark => "+library+"\n"+
			"replace github.com/waymark-go/waymark/examples/facility => "+library+"/examples/facility\n")
		imports := make(map[string]string)
		for name, path := range importsOf {
			imports[name] = path
		}
		for _, at := range found {
			blocks++
			source, line := text[at[2]:at[3]], 1+strings.Count(text[:at[2]], "\n")
			name := document + ":" + strings.TrimSpace(firstLine(source))
			pkg := "snippet"
			if m := clause.FindStringSubmatch(source); m != nil {
				pkg = m[1]
			} else {
				source = wrapped(source, imports)
			}
			folder := filepath.Join(dir, pkg)
			if pkg == "main" || pkg == "snippet" {
				folder = filepath.Join(dir, pkg, fmt.Sprintf("at%d", line))
			} else {
				imports[pkg] = "example.com/m/" + pkg
			}
			write(t, filepath.Join(folder, "doc.go"), source)
			t.Run(name, func(t *testing.T) {
				build := []string{"go", "build", "-gcflags=-e", "."}
				if pkg == "main" {
					build = []string{tool(t), "build", "-o", "program", "."}
				}
				if out := errorsOf(runIn(folder, build...)); out != "" {
					t.Fatalf("%s:%d: the block does not compile:\n%s\n%s", document, line, out, source)
				}
				if pkg != "main" {
					return
				}
				out, err := runIn(folder, "./program")
				if err != nil {
					t.Errorf("%s:%d: the program ends with %v:\n%s", document, line, err, out)
				}
				if at[4] < 0 {
					return
				}
				if missing := firstMissing(pointer.ReplaceAllString(out, "0x1"), pointer.ReplaceAllString(text[at[4]:at[5]], "0x1")); missing != "" {
					t.Errorf("%s:%d: the program prints no %q, or not there:\n%s", document, line, missing, out)
				}
			})
		}
	}
	if blocks < 5 {
		t.Errorf("found %d Go blocks in the documents, want 5 at least", blocks)
	}
}

var pointer = regexp.MustCompile(`\b0x[0-9a-f]+`)

// wrapped makes a file of declarations or statements.
func wrapped(source string, imports map[string]string) string {
	var head strings.Builder
	head.WriteString("package snippet\n\n")
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(source) {
			head.WriteString("import " + name + " \"" + path + "\"\n")
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\n"+source, parser.SkipObjectResolution); err == nil {
		return head.String() + "\n" + source
	}
	return head.String() + "\nfunc _() {\n" + source + "}\n"
}

// errorsOf returns what a compiler says, but for variables that a snippet doesn't use.
func errorsOf(out string, err error) string {
	if err == nil {
		return ""
	}
	var list []string
	for _, line := range strings.Split(out, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading ") && !strings.Contains(line, ": declared and not used: ") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

// TestDocsRewritten compares the rewritten function in docs/dev/decisions/rewriting.md with what waymark rewrite
// writes.
func TestDocsRewritten(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), `package main

func main() { F(1) }

func G(a int) int { return a }

func F(a int) int {
	if a == 0 {
		return a
	}
	return G(a) + 1
}
`)
	if out, err := runIn(dir, tool(t), "rewrite", "--all", "-o", "out", "."); err != nil {
		t.Fatalf("waymark rewrite: %v\n%s", err, out)
	}
	text := func(text, begin string) string {
		_, text, _ = strings.Cut(text, begin)
		text, _, _ = strings.Cut(text, "\n\n")
		return strings.Join(strings.Fields(begin+text), " ")
	}
	written, err := os.ReadFile(filepath.Join(dir, "out/example.com/m/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := text(string(written), "func F(")
	got := text(repository.Read(t, "docs/dev/decisions/rewriting.md"), "func F(")
	if got != want {
		t.Errorf("docs/dev/decisions/rewriting.md has another rewritten function:\ngot  %s\nwant %s", got, want)
	}
}
