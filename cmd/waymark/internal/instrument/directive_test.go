package instrument

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDiagnostics compares the mistakes found in testdata/diagnostics with what the files want.
func TestDiagnostics(t *testing.T) {
	g := &Group{ImportPath: "example.com/diagnostics"}
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
		g.Files = append(g.Files, File{Path: name, Source: src})
		for i, text := range strings.Split(string(src), "\n") {
			if m := wants.FindStringSubmatch(text); m != nil {
				want[line{name, i + 1}] = regexp.MustCompile(m[1])
			}
		}
	}
	_, err = Rewrite(g, &Options{Library: hooks})
	list, ok := err.(Diagnostics)
	if !ok {
		t.Fatalf("Rewrite: %v; want Diagnostics", err)
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
	if _, err := Rewrite(g, &Options{Library: hooks, NoDirectives: true}); err != nil {
		t.Errorf("with NoDirectives: %v", err)
	}
}

// The directives over package clauses of tests are for tests, whose ids follow those of the package.
func TestClauses(t *testing.T) {
	const groups = "import \"" + libraryPath + "\"\n\nvar A, B = waymark.NewGroup(\"A\"), waymark.NewGroup(\"B\")\n"
	const functions = "func F() {}\n\nfunc G() {}\n"
	const test = "package p\n\nfunc testA() {}\n"
	for _, tt := range []struct {
		name, file, test string
		first            int    // id of the test's functions
		group            string // of them
	}{
		{"only the test's", "package p\n" + groups + functions, "//waymark:trace A\n" + test, 0, "A"},
		{"both", "//waymark:trace A\npackage p\n" + groups + functions, "//waymark:trace B\n" + test, 2, "B"},
		{"only the package's", "//waymark:trace A\npackage p\n" + groups + functions, test, 2, "A"},
		{"the test's ignored", "//waymark:trace A\npackage p\n" + groups + functions, "//waymark:ignore\n" + test, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			with := []File{{Path: "/p/p.go", Source: []byte(tt.file)}}
			g := &Group{ImportPath: "example.com/p", Kind: Test, Files: []File{{Path: "/p/p_test.go", Source: []byte(tt.test)}}, With: with}
			res, err := Rewrite(g, &Options{MinCost: -1})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tr := range res.Table.Traced {
				got = append(got, tr.Name+" "+res.Table.Groups[tr.Group])
			}
			want := []string{"testA example.com/p." + tt.group}
			if tt.group == "" {
				want = nil
			}
			if res.Table.First != tt.first || !slices.Equal(got, want) {
				t.Errorf("from %d on %q; want from %d on %q", res.Table.First, got, tt.first, want)
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
			src := "package p\n\n" + tt.imports + "\n\n//waymark:trace " + tt.directive + "\nfunc f() {}\n"
			g := &Group{ImportPath: "example.com/p", Files: []File{{Path: "/p/p.go", Source: []byte(src)}}}
			res, err := Rewrite(g, &Options{MinCost: -1, PackageName: func(path string) string {
				return map[string]string{"example.com/m/trace-groups": "tracegroups", "example.com/go-http": "gohttp"}[path]
			}})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Table.Groups) != 1 || res.Table.Groups[0] != tt.want {
				t.Errorf("groups %q, want %s", res.Table.Groups, tt.want)
			}
		})
	}
}

// What a directive over a type declares and a method's names may be written differently in two files.
func TestSameGroup(t *testing.T) {
	g := &Group{ImportPath: "example.com/p", Files: []File{
		{Path: "/p/a.go", Source: []byte("package p\n\nimport \"x/groups\"\n\n//waymark:trace groups.R groups.W\ntype T struct{}\n")},
		{Path: "/p/b.go", Source: []byte("package p\n\nimport g \"x/groups\"\n\n//waymark:trace g.R\nfunc (T) m() {}\n")},
	}}
	if _, err := Rewrite(g, new(Options)); err != nil {
		t.Error(err)
	}
}

// Below a line directive without a column there is none to tell the compiler.
func TestDirectiveBelowLine(t *testing.T) {
	src := "package p\n\nimport g \"example.com/groups\"\n\n//line expr.y:12\n//waymark:trace g.IO\nfunc f() {}\n"
	res, err := Rewrite(&Group{ImportPath: "example.com/p", Files: []File{{Path: "/p/p.go", Source: []byte(src)}}}, &Options{MinCost: -1})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(res.Generated.Source); !strings.Contains(got, "/*line /p/expr.y:12*/") {
		t.Errorf("generated\n%s", got)
	}
}

// A group of a package of which nothing is instrumented is known to the program all the same.
func TestNothingInstrumented(t *testing.T) {
	src := "package p\n\nimport g \"example.com/groups\"\n\n//waymark:trace g.IO\nfunc f() {}\n"
	none := func(*Func) (bool, string) { return false, "" }
	res, err := Rewrite(&Group{ImportPath: "example.com/p", Files: []File{{Path: "/p/p.go", Source: []byte(src)}}}, &Options{Select: none})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"WMRegister", "WMBind"} {
		if got := string(res.Generated.Source); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// The first sentences of comments go into the table, those of groups whose names are known too.
func TestComments(t *testing.T) {
	const src = `package p

import "github.com/waymark-go/waymark"

// IO is for input and output. There is more to it.
var IO = waymark.NewGroup("IO")

var Undocumented = waymark.NewGroup("Undocumented")

// Unknown has a name that isn't known.
var Unknown = waymark.NewGroup(name())

// Get gets. See there.
//
//waymark:trace IO
func Get() { begin() }

//waymark:trace IO
func Put() {}

// begin says that
// something begins
//
//waymark:info enter
func begin() {}

func name() string { return "x" }
`
	rewrite := func(src string, o Options) *Result {
		t.Helper()
		res, err := Rewrite(&Group{ImportPath: "example.com/p", Files: []File{{Path: "/p/p.go", Source: []byte(src)}}}, &o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	table := rewrite(src, Options{}).Table
	if want := []GroupDoc{{"IO", "IO is for input and output."}}; !slices.Equal(table.Docs, want) {
		t.Errorf("groups %q, want %q", table.Docs, want)
	}
	var docs []string
	for _, f := range table.Traced {
		docs = append(docs, f.Doc)
	}
	if want := []string{"Get gets.", "", "begin says that something begins"}; !slices.Equal(docs, want) {
		t.Errorf("functions %q, want %q", docs, want)
	}
	if table = rewrite(src, Options{NoDirectives: true}).Table; table.Docs != nil {
		t.Errorf("without directives there is %q", table.Docs)
	}
	// A package may have groups and no function at all.
	only := "package p\n\nimport \"" + libraryPath + "\"\n\nvar IO = waymark.NewGroup(\"IO\") // what reads\n"
	if res := rewrite(only, Options{}); res.Generated == nil || !strings.Contains(string(res.Generated.Source), "WMBind") {
		t.Errorf("nothing is generated for groups alone: %v", res.Generated)
	}
	if got := FirstSentence(strings.Repeat("ä", 150)); len(got) > 203 || !strings.HasSuffix(got, "ä...") {
		t.Errorf("a long one becomes %q", got)
	}
}
