package build

import (
	"runtime"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A file that can't be parsed is an error if it may be of a newer Go than this program. Otherwise the
// go command reports it.
func TestUnreadable(t *testing.T) {
	unit := &syntax.Unit{ImportPath: "m", Files: []syntax.File{
		{Path: "/copy/a.go", Source: []byte("package m\n\nfunc a() {}\n")},
		{Path: "/copy/b.go", Source: []byte("package m\n\nfunc b() { new syntax }\n")},
	}}
	a, err := instrument.Analyze(unit, &instrument.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := a.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		version string
		scope   bool
		fails   bool
	}{{"go1.99.3", true, true}, {"go1.99.3", false, false}, {runtime.Version(), true, false}, {"go1.21.1", true, false}} {
		b := &Build{Env: &gocmd.Env{Variables: gocmd.Variables{GOVERSION: c.version}}}
		err := b.unreadable(&job{pkg: &gocmd.Package{Dir: "/user"}, dir: "/copy", scope: c.scope}, plan)
		if (err != nil) != c.fails {
			t.Errorf("%s, in scope %v: %v; want an error: %v", c.version, c.scope, err, c.fails)
		}
		for _, part := range []string{"/user/b.go:3:16: ", "GOTOOLCHAIN=go1.99.3", runtime.Version()} {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%q doesn't name %s", err, part)
			}
		}
	}
}
