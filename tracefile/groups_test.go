package tracefile

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// What is known of groups comes bit by bit, and a damaged file may say that one contains itself.
func TestGroups(t *testing.T) {
	w := newTrace()
	sites := []format.Site{{Name: "q.F", File: "q.go", Line: 1}, {Name: "q.info", File: "q.go", Line: 2}, {Name: "q.G", File: "q.go", Line: 3}, {Name: "q.H", File: "q.go", Line: 4}}
	w.Facility(100, "q", sites, format.Facility{Groups: []string{"q.Read", "q.lost"}, Functions: []format.TracedFunction{
		{Name: "F", Site: 0, Group: 0}, {Name: "G", Site: 2, Group: 1}, {Name: "left out", Site: -1, Group: 0}, {Name: "info", Site: 1, Info: format.InfoNone},
	}})
	w.Block(format.BlockGroups, format.AppendGroups(nil, []format.Group{{Name: "IO", Subgroups: []string{"Read"}}, {Name: "Read"}}))
	w.Block(format.BlockGroups, format.AppendGroups(nil, []format.Group{
		{Name: "Read", Vars: []string{"q.Read", "r.Same"}}, {Name: "All", Subgroups: []string{"IO", "Read"}}, {Name: "Read", Subgroups: []string{"All"}},
	}))
	f := openBytes(t, w.File)
	want := map[uint32][]string{100: {"All", "IO", "Read"}}
	f.Funcs(func(id uint32, s Func) bool {
		if !reflect.DeepEqual(s.Groups, want[id]) {
			t.Errorf("%s is in %q, want %q", s.Name, s.Groups, want[id])
		}
		return true
	})
	if s, ok := f.Func(100); !ok || !reflect.DeepEqual(s.Groups, want[100]) {
		t.Errorf("%v, %v", s, ok)
	}
	if _, ok := f.Func(104); ok {
		t.Error("there is a site 104")
	}
}
