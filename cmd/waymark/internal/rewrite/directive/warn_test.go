package directive

import (
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// TestWarnings compares what Check reports with what the source wants; a build of it doesn't fail.
func TestWarnings(t *testing.T) {
	const src = `//Waymark:trace IO // want "is a comment: a directive begins with //waymark:trace, in lower case and without a blank"
package p

import "github.com/waymark-go/waymark"

var (
	IO    = waymark.NewGroup("IO")
	unset *waymark.Group
	empty *waymark.Group = nil
	outer = waymark.NewGroup("outer", IO, unset, // want "subgroup number 2, unset, is nil when the group is made"
		empty) // want "subgroup number 3, empty, is nil"
)

// waymark:trace IO // want "is a comment"
func blank() {}

//WAYMARK:Trace IO // want "is a comment"
type upper struct{}

//	waymark:info enter // want "^//\twaymark:info enter is a comment: a directive begins with //waymark:info,"
func tab() {}

// waymark:ignore // want "is a comment"
func ignored() {}

// waymark:trace is how functions are put into groups, waymark: trace too.
// waymark:ignore is not for this one.
func prose() {
	// waymark:trace IO
}

//waymark:info
func mark(n int) {}

//waymark:trace IO
func here() {
	mark(1)
	func() { mark(2) }()
	defer func() { mark(3) }()
	go func() { func() { mark(4) }() }()
	f := func() { mark(5) }
	f()
	defer f()
	var g func(int)
	g = (func(n int) { mark(n) })
	g(6)
	var h = func() { mark(7) }
	h()
	f = nil
}

//waymark:trace IO
func elsewhere(list []func()) func() {
	each(func() { mark(1) })                    // want "mark is called from a function literal that is passed on"
	func() { each(func() { mark(2) }) }()       // want "passed on"
	each(func() { func() { mark(3) }() })       // want "passed on"
	list[0] = func() { mark(4) }                // want "passed on"
	f := func() { mark(5) }                     // want "passed on"
	each(f)
	_ = struct{ f func() }{func() { mark(6) }} // want "passed on"
	return func() { mark(7) }                   // want "passed on"
}

func each(f func()) { f() }
`
	u := &syntax.Unit{ImportPath: "example.com/p", Files: []syntax.File{{Path: "p.go", Source: []byte(src)}}}
	want := make(map[int]*regexp.Regexp)
	for i, line := range strings.Split(src, "\n") {
		if _, text, ok := strings.Cut(line, "// want "); ok {
			want[i+1] = regexp.MustCompile(strings.Trim(text, "\""))
		}
	}
	list, _ := Check(u, new(syntax.Config))
	for _, d := range list {
		if re := want[d.Pos.Line]; re == nil || !re.MatchString(d.Text) {
			t.Errorf("%s: reported and not wanted", d)
		}
		delete(want, d.Pos.Line)
	}
	for line, re := range want {
		t.Errorf("p.go:%d: nothing is reported; want %s", line, re)
	}
	if _, err := read(u, nil, LibraryPath); err != nil {
		t.Errorf("the build fails: %v", err)
	}
}

// TestFixes applies the fixes that come with mistakes. None must be left.
func TestFixes(t *testing.T) {
	const head = "package p\n\nimport \"" + LibraryPath + "\"\n\nvar IO = waymark.NewGroup(\"IO\")\n\n"
	for _, tt := range []struct{ comment, want string }{
		{"// waymark:trace IO // why", "//waymark:trace IO // why"},
		{"//Waymark:trace IO", "//waymark:trace IO"},
		{"//\tWAYMARK:Ignore", "//waymark:ignore"},
		{"//waymark:Trace IO", "//waymark:trace IO"},
		{"//waymark:Group IO", "//waymark:group IO"},
		{"// waymark:group IO", "//waymark:group IO"},
		{"//waymark:IGNORE", "//waymark:ignore"},
	} {
		check := func(src string) Diagnostics {
			list, _ := Check(&syntax.Unit{ImportPath: "p", Files: []syntax.File{{Path: "p.go", Source: []byte(src)}}}, new(syntax.Config))
			return list
		}
		src := head + tt.comment + "\nfunc f() {}\n"
		list := check(src)
		if len(list) != 1 {
			t.Errorf("%s: %d mistakes, want 1: %v", tt.comment, len(list), list)
			continue
		}
		fix := list[0].Fix
		got := src[:fix.Start] + fix.New + src[fix.End:]
		if want := head + tt.want + "\nfunc f() {}\n"; got != want {
			t.Errorf("%s: fixed, the file is\n%s\nwant\n%s", tt.comment, got, want)
		}
		if left := check(got); len(left) > 0 {
			t.Errorf("%s: fixed, there is still %v", tt.comment, left)
		}
	}
}
