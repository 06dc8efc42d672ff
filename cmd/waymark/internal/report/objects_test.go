package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTypes adds up the objects of two processes by type, in all formats.
func TestTypes(t *testing.T) {
	write := func(by By, sort Sort, f Format) string {
		t.Helper()
		r := New(Options{By: by, Sort: sort, Top: 2})
		for _, text := range []string{
			`{"program":"/bin/app","pid":7,"last":true,"functions":[{"name":"main.f","package":"main","calls":1,"max_ns":5,"objects":5,"bytes":80}],
			 "objects":[{"type":"example.com/m/store.Row","package":"example.com/m/store","function":"main.f","objects":3,"bytes":48},
			            {"type":"untyped","function":"main.f","objects":2,"bytes":32},{"type":"int","objects":1,"bytes":4096}]}`,
			`{"program":"/bin/app","pid":8,"last":true,"functions":[{"name":"main.f","package":"main","calls":1,"max_ns":5,"objects":4,"bytes":64}],
			 "objects":[{"type":"untyped","function":"main.f","objects":4,"bytes":64}]}`,
		} {
			path := filepath.Join(t.TempDir(), "one.stats")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := ReadStatistics(path)
			if err != nil {
				t.Fatal(err)
			}
			r.AddStatistics(s)
		}
		if row := r.rows[0]; row.Objects != 9 || row.Bytes != 144 {
			t.Errorf("%s made %d objects of %d bytes, want 9 of 144", row.Name, row.Objects, row.Bytes)
		}
		var b bytes.Buffer
		if err := r.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, tt := range []struct {
		sort   Sort
		format Format
		want   string
	}{
		{SortTotal, CSV, "name,package,objects,bytes\nuntyped,,6,96\nexample.com/m/store.Row,example.com/m/store,3,48\n"},
		{SortBytes, CSV, "name,package,objects,bytes\nint,,1,4096\nuntyped,,6,96\n"},
		{SortObjects, Text, `Top 2 objects constructed:
  Objects     Bytes  Type
  -------  --------  ---------
        6  96 bytes  untyped
        3  48 bytes  store.Row

app: 2 processes, 0 ns, 2 calls
`},
	} {
		if got := write(ByType, tt.sort, tt.format); got != tt.want {
			t.Errorf("by type:\n%s\nwant\n%s", got, tt.want)
		}
	}
	if got := write(ByFunction, SortObjects, JSON); !bytes.Contains([]byte(got), []byte(`"types": [
    {
      "name": "untyped",
      "objects": 6,
      "bytes": 96
    },`)) {
		t.Errorf("JSON lacks the types:\n%s", got)
	}
}
