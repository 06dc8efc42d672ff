package agent

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/function"
)

// Names are kept for the messages about patterns that name nothing, and no longer.
func TestSelectionNames(t *testing.T) {
	before := selections
	defer func() { selections = before }()
	s, err := newSelection([]string{"main.f", "main.g"}, []string{"main.x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		has  bool
		kept bool
	}{{"main.f", true, true}, {"main.x", false, true}, {"main.gg", false, true}, {"main.g", true, false}, {"main.h", false, false}} {
		if got := s.has(&function.Func{Name: c.name, Package: "main"}); got != c.has {
			t.Errorf("has %s: %v", c.name, got)
		}
		if kept := len(s.names) > 0; kept != c.kept {
			t.Errorf("after %s the names are %v", c.name, s.names)
		}
		if c.name == "main.gg" {
			if got := unmatched(); len(got) == 0 || !strings.Contains(got[len(got)-1], "main.g ") {
				t.Errorf("unmatched: %q, want main.g", got)
			}
		}
	}
}

// Patterns of groups that name nothing say what there is.
func TestSelectionGroups(t *testing.T) {
	before := selections
	defer func() { selections = before }()
	selections = nil
	s, err := newSelection([]string{"@http", "@grpc", "@htp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !s.has(&function.Func{Name: "main.f", Package: "main", Roles: []string{"http"}}) || s.has(&function.Func{Name: "main.g", Package: "main", Groups: []string{"IO"}}) {
		t.Error("@http selects other functions than main.f")
	}
	got := strings.Join(unmatched(), "\n")
	if strings.Contains(got, "@http:") || !strings.Contains(got, "@grpc: want a method") || !strings.Contains(got, "@htp was instrumented; there are") || !strings.Contains(got, ", @IO") {
		t.Errorf("unmatched: %s", got)
	}
}
