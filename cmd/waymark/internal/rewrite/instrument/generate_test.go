package instrument

import (
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Below a line directive without a column there is none to tell the compiler.
func TestDirectiveBelowLine(t *testing.T) {
	src := "package p\n\nimport g \"example.com/groups\"\n\n//line expr.y:12\n//waymark:trace g.IO\nfunc f() {}\n"
	res := mustRewrite(t, &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "/p/p.go", Source: []byte(src)}}}, &Options{MinCost: -1}, nil)
	if got := string(res.generated.Source); !strings.Contains(got, "/*line /p/expr.y:12*/") {
		t.Errorf("generated\n%s", got)
	}
}

// A group of a package of which nothing is instrumented is known to the program all the same.
func TestNothingInstrumented(t *testing.T) {
	src := "package p\n\nimport g \"example.com/groups\"\n\n//waymark:trace g.IO\nfunc f() {}\n"
	none := func(f *Func) { f.Instrument = false }
	res := mustRewrite(t, &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "/p/p.go", Source: []byte(src)}}}, new(Options), none)
	for _, want := range []string{hook.Register, hook.Bind} {
		if got := string(res.generated.Source); !strings.Contains(got, want) {
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
	one := func(src string, o Options) *result {
		t.Helper()
		return mustRewrite(t, &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "/p/p.go", Source: []byte(src)}}}, &o, nil)
	}
	facility := one(src, Options{}).Facility
	if want := []format.GroupDoc{{Name: "IO", Doc: "IO is for input and output."}}; !slices.Equal(facility.Docs, want) {
		t.Errorf("groups %q, want %q", facility.Docs, want)
	}
	var docs []string
	for _, f := range facility.Functions {
		docs = append(docs, f.Doc)
	}
	if want := []string{"Get gets.", "", "begin says that something begins"}; !slices.Equal(docs, want) {
		t.Errorf("functions %q, want %q", docs, want)
	}
	if facility = one(src, Options{NoDirectives: true}).Facility; facility.Docs != nil {
		t.Errorf("without directives there is %q", facility.Docs)
	}
	// A package may have groups and no function at all.
	only := "package p\n\nimport \"" + directive.LibraryPath + "\"\n\nvar IO = waymark.NewGroup(\"IO\") // what reads\n"
	if res := one(only, Options{}); res.generated == nil || !strings.Contains(string(res.generated.Source), hook.Bind) {
		t.Errorf("nothing is generated for groups alone: %v", res.generated)
	}
}

// With NoDirectives mistakes in directives are ignored, too.
func TestNoDirectives(t *testing.T) {
	u := &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "/p/p.go", Source: []byte("package p\n\n//waymark:trace\nfunc f() {}\n")}}}
	if _, err := rewrite(u, new(Options), nil); err == nil {
		t.Error("a directive without a group is no mistake; want one")
	}
	if res, err := rewrite(u, &Options{NoDirectives: true}, nil); err != nil || len(res.Facility.Functions) > 0 {
		t.Errorf("with NoDirectives: error %v, functions %v; want neither", err, res.Facility.Functions)
	}
}
