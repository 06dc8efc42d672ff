package gocmd

import (
	"slices"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	f := Flags(strings.Fields("-race -tags a,b -o out -run=Test.* --count 3 -v -tags=c -C dir -cover=false"))
	for name, want := range map[string]string{"race": "true", "tags": "c", "o": "out", "run": "Test.*", "count": "3", "C": "dir"} {
		if got, ok := f.Lookup(name); !ok || got != want {
			t.Errorf("-%s is %q, %v; want %q", name, got, ok, want)
		}
	}
	if _, ok := f.Lookup("msan"); ok {
		t.Error("-msan is set")
	}
	if !f.Bool("race") || f.Bool("cover") {
		t.Error("-race is off or -cover on")
	}
	if got, want := strings.Join(f.Without("tags", "C"), " "), "-race -o out -run=Test.* --count 3 -v -cover=false"; got != want {
		t.Errorf("without two: %s; want %s", got, want)
	}
	if got, want := strings.Join(f.ForList(), " "), "-race -tags a,b -tags=c -C dir"; got != want {
		t.Errorf("for go list: %s; want %s", got, want)
	}
	if err := f.Refuse(); err != nil {
		t.Error(err)
	}
	if err := Flags(strings.Fields("-compiler gccgo")).Refuse(); err == nil {
		t.Error("gccgo is not refused")
	}
	if f.Covers() {
		t.Error("-cover=false covers")
	}
	for _, one := range []string{"-cover", "-coverprofile=x", "-coverpkg ./...", "-covermode=set", "-v --cover"} {
		if !Flags(strings.Fields(one)).Covers() {
			t.Errorf("%s does not cover", one)
		}
	}
	if !slices.Equal(Flags(nil).Without("x"), Flags(nil)) {
		t.Error("no flags without one")
	}
}

func TestKnownToTest(t *testing.T) {
	for flag, want := range map[string]bool{
		"-run": true, "-run=X": true, "-test.v": true, "--short": true, "-race": true, "-buildvcs=false": true,
		"-update": false, "-update=x": false, "-runs": false, "-args": false,
	} {
		if got := KnownToTest(flag); got != want {
			t.Errorf("go test knows %s: %v", flag, got)
		}
	}
}

func TestKnownToBuild(t *testing.T) {
	for flag, want := range map[string]bool{
		"-race": true, "-tags=x": true, "--work": true, "-exec": true, "-o": true, "-cover": true,
		"-count": false, "-count=1": false, "-test.v": false, "-include": false, "-trace": false,
	} {
		if got := KnownToBuild(flag); got != want {
			t.Errorf("go build knows %s: %v", flag, got)
		}
	}
}

func TestExeName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/cmd/app": "app", "example.com/app/v2": "app", "app": "app", "example.com/v": "v", "v2": "v2",
	} {
		if got := ExeName(path); got != want {
			t.Errorf("%s makes %s; want %s", path, got, want)
		}
	}
}
