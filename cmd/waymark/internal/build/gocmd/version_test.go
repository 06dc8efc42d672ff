package gocmd

import (
	"slices"
	"strings"
	"testing"
)

func TestCutVersion(t *testing.T) {
	for _, c := range []struct{ args, packages, version string }{
		{"", "", ""},
		{"./cmd/app strings", "./cmd/app strings", ""},
		{"example.com/app@v1.2.3", "example.com/app", "v1.2.3"},
		{"example.com/a@latest example.com/b/...@latest", "example.com/a example.com/b/...", "latest"},
		{"./a@b /a@b ../a@b main@x.go", "./a@b /a@b ../a@b main@x.go", ""},
	} {
		packages, version, err := CutVersion(strings.Fields(c.args))
		if err != nil || !slices.Equal(packages, strings.Fields(c.packages)) || version != c.version {
			t.Errorf("%s: got %q at %q, %v; want %q at %q", c.args, packages, version, err, c.packages, c.version)
		}
	}
	for _, bad := range []string{"@v1", "example.com/app@", "a.com/a@v1 a.com/b@v2", "a.com/a@v1 a.com/b", "./a a.com/b@v1"} {
		if _, _, err := CutVersion(strings.Fields(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestExact(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.2.3": true, "v1.2.3-rc.1": true, "v2.0.0+incompatible": true, "v0.0.0-20240102150405-0123456789ab": true,
		"latest": false, "upgrade": false, "v1": false, "v1.2": false, "main": false, "0123456789ab": false, "": false,
	} {
		if got := Exact(version); got != want {
			t.Errorf("%s is exact: %v; want %v", version, got, want)
		}
	}
}

func TestAbsolute(t *testing.T) {
	f := Flags(strings.Fields("-race -o out -overlay=o.json -pgo auto -pgo=p/x.pprof -tags o -o=sub/ -o /abs -o"))
	want := "-race -o /m/out -overlay=/m/o.json -pgo auto -pgo=/m/p/x.pprof -tags o -o=/m/sub/ -o /abs -o"
	if got := strings.Join(f.Absolute("/m"), " "); got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	if f[2] != "out" {
		t.Error("the flags themselves were changed")
	}
}
