package agent

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// What may be switched is listed: groups with their subgroups and packages, each with its number of
// functions, and the functions that targets name.
func TestList(t *testing.T) {
	r := switchtest.Fresh(t)
	p := r.Register("m/store", switchtest.Functions("m/store.Get", "m/store.Put"),
		format.Facility{Groups: []string{"m/store.In"}, Functions: []format.TracedFunction{{Name: "Put", Site: 1}}})
	r.Register("m", switchtest.Functions("m.F"), format.Facility{})
	switchboard.Default.Bind(p, []*switchboard.Bound{{Name: "writes"}})
	switchboard.Default.AddGroups(format.Group{Name: "all", Subgroups: []string{"writes"}})
	l := new(live)
	got, err := l.List(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &control.List{
		Groups:   []control.Listed{{Name: "all", Functions: 1, Subgroups: []string{"writes"}}, {Name: "writes", Functions: 1}},
		Packages: []control.Listed{{Name: "m", Functions: 1}, {Name: "m/store", Functions: 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("list %+v, want %+v", got, want)
	}
	for target, want := range map[string][]string{"m/store": {"m/store.Get", "m/store.Put"}, "@writes": {"m/store.Put"}} {
		if got, err := l.List([]string{target}); err != nil || !reflect.DeepEqual(got.Functions, want) {
			t.Errorf("functions of %s: %+v, %v, want %v", target, got, err, want)
		}
	}
	if _, err := l.List([]string{"m.None"}); err == nil {
		t.Error("functions of m.None: no error, want one")
	}
}
