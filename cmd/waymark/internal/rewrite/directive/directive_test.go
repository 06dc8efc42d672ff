package directive

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// read reads the directives of a unit as builds do.
func read(u *syntax.Unit, names map[string]string, library string) (*Set, error) {
	tree := syntax.Parse(u, &syntax.Config{PackageNames: names})
	own, with := candidate.List(tree, flow.Of(tree))
	return Read(tree, own, with, library)
}

// TestDiagnostics compares the mistakes found in testdata/diagnostics with what the files want.
func TestDiagnostics(t *testing.T) {
	u := &syntax.Unit{ImportPath: "example.com/diagnostics"}
	files, err := filepath.Glob("testdata/diagnostics/*.go")
	if err != nil || len(files) < 2 {
		t.Fatalf("files: %v, %v", files, err)
	}
	wants := regexp.MustCompile("// want `([^`]*)`")
	type line struct {
		file string
		n    int
	}
	want := make(map[line]*regexp.Regexp)
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		u.Files = append(u.Files, syntax.File{Path: name, Source: src})
		for i, text := range strings.Split(string(src), "\n") {
			if m := wants.FindStringSubmatch(text); m != nil {
				want[line{name, i + 1}] = regexp.MustCompile(m[1])
			}
		}
	}
	_, err = read(u, nil, "example.com/fake/wmrt")
	list, ok := err.(Diagnostics)
	if !ok {
		t.Fatalf("Read: %v; want Diagnostics", err)
	}
	for i, d := range list {
		at := line{d.Pos.Filename, d.Pos.Line}
		if re := want[at]; re == nil || !re.MatchString(d.Text) {
			t.Errorf("%s: reported and not wanted", d)
		}
		delete(want, at)
		if i > 0 && list[i-1].Pos.Filename == d.Pos.Filename && list[i-1].Pos.Offset > d.Pos.Offset {
			t.Errorf("%s is reported behind %s", d, list[i-1])
		}
	}
	for at, re := range want {
		t.Errorf("%s:%d: nothing is reported; want %s", at.file, at.n, re)
	}
}

// The directives over package clauses of tests are for tests, whose ids follow those of the
// package.
func TestClauses(t *testing.T) {
	const groups = "import \"" + LibraryPath + "\"\n\nvar A, B = waymark.NewGroup(\"A\"), waymark.NewGroup(\"B\")\n"
	const functions = "func F() {}\n\nfunc G() {}\n"
	const test = "package p\n\nfunc testA() {}\n"
	for _, tt := range []struct {
		name, file, test string
		first            int    // id of the test's functions
		group            string // of them
	}{
		{"only the test's", "package p\n" + groups + functions, "//waymark:trace A\n" + test, 0, "A"},
		{"both", "//waymark:trace A\npackage p\n" + groups + functions, "//waymark:trace B\n" + test, 2, "B"},
		{"only the package's", "//waymark:group A\npackage p\n" + groups + functions, test, 2, "A"},
		{"the test's ignored", "//waymark:trace A\npackage p\n" + groups + functions, "//waymark:ignore\n" + test, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			with := []syntax.File{{Path: "/p/p.go", Source: []byte(tt.file)}}
			u := &syntax.Unit{ImportPath: "example.com/p", Kind: syntax.Test, Files: []syntax.File{{Path: "/p/p_test.go", Source: []byte(tt.test)}}, With: with}
			set, err := read(u, nil, LibraryPath)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range set.Marks {
				got = append(got, m.Func.TracingName+" "+m.Group.String())
			}
			want := []string{"testA example.com/p." + tt.group}
			if tt.group == "" {
				want = nil
			}
			if set.First != tt.first || !slices.Equal(got, want) {
				t.Errorf("from %d on %q; want from %d on %q", set.First, got, tt.first, want)
			}
		})
	}
}

// Groups are found as the compiler would find them.
func TestGroupNames(t *testing.T) {
	for _, tt := range []struct{ name, imports, directive, want string }{
		{"another name than the path's", `import "example.com/m/trace-groups"`, "tracegroups.IO", "example.com/m/trace-groups.IO"},
		{"the right one of two", "import \"example.com/go-http\"\nimport \"net/http\"", "http.IO", "net/http.IO"},
		{"a dot import", `import . "example.com/groups"`, "IO", "example.com/groups.IO"},
		{"an alias", `import g "example.com/groups"`, "g.IO", "example.com/groups.IO"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := "package p\n\n" + tt.imports + "\n\n//waymark:group " + tt.directive + "\nfunc f() {}\n"
			u := &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "/p/p.go", Source: []byte(src)}}}
			set, err := read(u, map[string]string{"example.com/m/trace-groups": "tracegroups", "example.com/go-http": "gohttp"}, LibraryPath)
			if err != nil {
				t.Fatal(err)
			}
			if len(set.Marks) != 1 || set.Marks[0].Group.String() != tt.want {
				t.Errorf("marks %v, want one of group %s", set.Marks, tt.want)
			}
		})
	}
}

// A directive over a type and one over its method may name a group differently in two files.
func TestSameGroup(t *testing.T) {
	u := &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{
		{Path: "/p/a.go", Source: []byte("package p\n\nimport \"x/groups\"\n\n//waymark:trace groups.R groups.W\ntype T struct{}\n")},
		{Path: "/p/b.go", Source: []byte("package p\n\nimport g \"x/groups\"\n\n//waymark:trace g.R\nfunc (T) m() {}\n")},
	}}
	if _, err := read(u, nil, LibraryPath); err != nil {
		t.Error(err)
	}
}

// Programs carry the first sentences of comments, which are cut where they are long.
func TestFirstSentence(t *testing.T) {
	if got := FirstSentence(strings.Repeat("ä", 150)); len(got) > 203 || !strings.HasSuffix(got, "ä...") {
		t.Errorf("a long one becomes %q", got)
	}
}
