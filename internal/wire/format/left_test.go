package format

import (
	"reflect"
	"testing"
)

// What a table says of functions that are left out is read back, whatever else it has.
func TestLeft(t *testing.T) {
	for _, s := range []Site{
		{Name: "p.F", File: "f.go", Line: 1},
		{Name: "p.F", File: "f.go", Line: 1, Tiny: []string{"G"}},
		{Name: "p.F", File: "f.go", Line: 1, Body: Extent{1, 10, 3, 2}},
		{Name: "p.F", File: "f.go", Line: 1, Args: []string{"a"}, Tiny: []string{"G"}, Body: Extent{1, 10, 3, 2}},
	} {
		sites := []Site{s, {Name: "p.G", File: "f.go", Line: 9}}
		for _, left := range []Left{{}, {Tiny: []string{"G", "(*T).M"}}, {Literals: 300}, {[]string{"a"}, 1, 2, 3}} {
			table := AppendFacility(AppendTable(nil, "p", sites), sites, Facility{Left: left})
			_, f, err := ParseFacility(table)
			if err != nil || !reflect.DeepEqual(f.Left, left) {
				t.Errorf("site %+v: left %+v, %v; want %+v", s, f.Left, err, left)
			}
			_, got, err := ParseTable(table)
			if err != nil || !reflect.DeepEqual(got, sites) {
				t.Errorf("left %+v: sites %+v, %v; want %+v", left, got, err, sites)
			}
		}
	}
}
