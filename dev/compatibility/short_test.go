package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain is the command where a Runner runs itself as one, to slow a program down.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-slow=") {
		main()
	}
	os.Exit(m.Run())
}

// buildWaymark returns the command, built from this source.
func buildWaymark(t *testing.T) string {
	t.Helper()
	waymark := filepath.Join(t.TempDir(), "waymark")
	build := exec.Command("go", "build", "-o", waymark, ".")
	build.Dir = filepath.Join("..", "..", "cmd", "waymark")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return waymark
}

// TestShort is the short form of make test-modules: a small suite, and another one traced by default.
func TestShort(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	waymark := buildWaymark(t)
	suites, err := readList("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	version, err := goVersion()
	if err != nil {
		t.Fatal(err)
	}
	test := func(name string, s Suite, runs int) {
		t.Run(name, func(t *testing.T) {
			r := &Runner{Context: t.Context(), Waymark: waymark, Go: version, Limit: 5 * time.Minute, Runs: runs, Log: t.Logf}
			res := r.Compare(s, filepath.Join(t.TempDir(), "module"))
			if res.Trouble != "" {
				t.Fatal(res.Trouble)
			}
			if !res.recorded() {
				t.Errorf("recordings: %+v", res.Recordings)
			}
			for _, d := range res.Differences {
				if d.Kind == Differs {
					t.Errorf("%s %s: plain %v, traced %v\n%s", d.Package, d.Name, d.Plain, d.Traced, d.Output)
				}
			}
		})
	}
	for _, s := range suites {
		switch s.Path() {
		case "github.com/pkg/errors":
			test(s.Path(), s, 0)
		case "github.com/google/uuid":
			test("default", s, 1)
		}
	}
}
