package parquet

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A row is written over an earlier one, of which nothing stays.
func TestRowsAreOverwritten(t *testing.T) {
	events, err := calltreetest.Events("A10 B20 b20 a10 ")
	if err != nil {
		t.Fatal(err)
	}
	r := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.a", File: "a.go"}, {Name: "main.b", File: "a.go"}}}}}
	file, err := calltreetest.Open("a.wmt", r.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	rows := func(before Row) []Row {
		set, err := tracefile.Join([]*tracefile.File{file})
		if err != nil {
			t.Fatal(err)
		}
		w := &writer{rows: make([]Row, perBatch)}
		for i := range w.rows {
			w.rows[i] = before
		}
		w.rows = w.rows[:0]
		if _, err := calls.Tell(set, &recording.Filter{}, calls.Options{}, calls.Listener{End: w.end}); err != nil {
			t.Fatal(err)
		}
		return w.rows
	}
	var junk Row
	v := reflect.ValueOf(&junk).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("junk")
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.SetInt(99)
		}
	}
	if got, want := rows(junk), rows(Row{}); len(want) != 2 || !reflect.DeepEqual(got, want) {
		t.Errorf("rows over others\n%+v\nwant 2, as over empty ones\n%+v", got, want)
	}
}
