package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
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

// The call tree has the objects that the calls of each path made themselves, if any is known to have.
func TestTreeObjects(t *testing.T) {
	recorded := func(o Options, known bool) *Report {
		o.Tree = true
		r, rec := New(o), made(t, "A10 *3,48 B20 *2,32 b20 *1,16 a10")
		if rec.Objects = known; !known {
			rec = made(t, "A10 B20 b20 a10")
		}
		if err := r.Read(join(t, rec)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	counted := func() *Report {
		s := new(Statistics)
		if err := json.Unmarshal([]byte(`{"functions":[{"name":"main.main","calls":1,"max_ns":5}],
			"paths":{"functions":[{"name":"main.main"},{"name":"store.Open"}],
			         "list":[{"parent":-1,"function":0,"calls":1},{"parent":0,"function":1,"calls":1}]},
			"objects":[{"type":"int","function":"main.main","path":0,"objects":4,"bytes":64},
			           {"type":"int","function":"store.Open","path":1,"objects":1,"bytes":16},
			           {"type":"untyped","function":"store.Open","path":1,"objects":1,"bytes":16},{"type":"int","objects":9,"bytes":99}]}`), &s.Snapshot); err != nil {
			t.Fatal(err)
		}
		r := New(Options{Tree: true})
		r.AddStatistics(s)
		return r
	}
	callers := recording.Filter{Callers: func(f *function.Func) bool { return strings.HasSuffix(f.Name, "Open") }}
	for _, tt := range []struct {
		name   string
		report *Report
		format Format
		want   []string // in order, blanks apart
	}{
		{"recorded", recorded(Options{}, true), Text, []string{" Errors Objects Bytes Function ", " 4 64 bytes main.main ", " 2 32 bytes store.Open "}},
		{"recorded", recorded(Options{}, true), CSV, []string{",name,errors,objects,bytes ", ",main.main,0,4,64 ", "store.Open,0,2,32 "}},
		{"recorded", recorded(Options{}, true), JSON, []string{`"objects": 4, "bytes": 64,`, `"objects": 2, "bytes": 32,`}},
		{"recorded", recorded(Options{}, true), Rows, []string{`"objects": 4, "bytes": 64}`, `"objects": 2, "bytes": 32}`}},
		{"callers", recorded(Options{Filter: callers}, true), CSV, []string{"store.Open,0,2,32 ", ",main.main,0,2,32 "}},
		{"statistics", counted(), Text, []string{" Errors Objects Bytes Function ", " 4 64 bytes main.main ", " 2 32 bytes store.Open "}},
		{"not recorded", recorded(Options{}, false), Text, nil},
		{"not recorded", recorded(Options{}, false), CSV, nil},
		{"not recorded", recorded(Options{}, false), Rows, nil},
	} {
		var b bytes.Buffer
		if _, err := tt.report.WriteTree(&b, tt.format); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ") + " "
		if tt.want == nil && strings.Contains(strings.ToLower(text), "objects") {
			t.Errorf("%s: objects in\n%s", tt.name, &b)
		}
		for _, want := range tt.want {
			_, rest, ok := strings.Cut(text, want)
			if !ok {
				t.Errorf("%s: want %q next in\n%s", tt.name, want, &b)
				break
			}
			text = " " + rest
		}
	}
}
