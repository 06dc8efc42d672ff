package endtoend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestObjectCounts compares the objects that real programs make, added up over all types, with
// runtime.MemStats. waymark's own objects are left out. Of all others in the heap, 0.1 % may be
// missing, or may be made while the two are read.
func TestObjectCounts(t *testing.T) {
	eachSubject(t, *counts, "test-counts", func(t *testing.T, waymark, dir string, s subject) {
		out := t.TempDir()
		app, report := filepath.Join(out, "app"), filepath.Join(out, "report.json")
		command(t, dir, nil, waymark, "build", "--include", "./...", "-o", app, s.main)
		command(t, dir, []string{"WAYMARK=objects,tree,report=json:" + report}, app, s.args(t, dir)...)
		b, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Heap    int64 `json:"heap_objects"`
			Own     int64 `json:"own_objects"`
			Objects []struct {
				Type     string
				Function string
				Path     *int
				Objects  int64
			}
			Functions []struct {
				Name    string
				Objects int64
			}
		}
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatal(err)
		}
		sum, types, byFunction := int64(0), make(map[string]bool), make(map[string]int64)
		for _, o := range r.Objects {
			sum += o.Objects
			types[o.Type] = true
			byFunction[o.Function] += o.Objects
			if (o.Function == "") != (o.Path == nil) {
				t.Errorf("%s of function %q has path %v: want both or none", o.Type, o.Function, o.Path)
			}
		}
		missing := r.Heap - r.Own - sum
		t.Logf("%d objects of %d types; %d in the heap, %d of that waymark's own, %d missing", sum, len(types), r.Heap, r.Own, missing)
		if max(missing, -missing) > r.Heap/1000 || len(types) < 50 {
			t.Error("want 50 types and more, and objects of the heap exact to 0.1 %")
		}
		for _, f := range r.Functions {
			if got := byFunction[f.Name]; got != f.Objects {
				t.Errorf("%s: %d objects in its row, %d in the list", f.Name, f.Objects, got)
			}
		}
	})
}
