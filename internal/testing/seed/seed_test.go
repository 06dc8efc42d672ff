package seed

import (
	"fmt"
	"strings"
	"testing"
)

// A failing test, as seen by Rand.
type failing struct {
	testing.TB
	cleanup func()
	said    string
}

func (f *failing) Cleanup(c func())             { f.cleanup = c }
func (f *failing) Failed() bool                 { return true }
func (f *failing) Name() string                 { return "TestX" }
func (f *failing) Logf(format string, a ...any) { f.said += fmt.Sprintf(format, a...) }

func TestRand(t *testing.T) {
	defer func(before *uint64) { given = before }(given)
	given = nil
	f := new(failing)
	first := Rand(f, 5).Uint64()
	if f.cleanup(); !strings.HasSuffix(f.said, `-run "TestX" -seed 5`) {
		t.Errorf("a test that failed said %q, want it to name -run and -seed 5", f.said)
	}
	five := uint64(5)
	given = &five
	if got := Rand(t, 1).Uint64(); got != first {
		t.Errorf("-seed 5 begins with %d, the default 5 with %d; want the same", got, first)
	}
}

func TestList(t *testing.T) {
	defer func(before *uint64) { given = before }(given)
	given = nil
	if got := fmt.Sprint(List(3)); got != "[0 1 2]" {
		t.Errorf("got %s, want [0 1 2]", got)
	}
	seven := uint64(7)
	given = &seven
	if got := fmt.Sprint(List(3)); got != "[7]" {
		t.Errorf("with -seed 7: got %s, want [7]", got)
	}
}
