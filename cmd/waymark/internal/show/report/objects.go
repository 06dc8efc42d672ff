package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Objects returns the flag that asks for objects, "" if none does.
func (o *Options) Objects() string {
	switch {
	case o.By == ByType:
		return "--by type"
	case o.Sort == SortObjects || o.Sort == SortBytes:
		return "--sort " + Sorts[o.Sort]
	}
	return ""
}

// makes reports whether it is known what calls made on the heap.
func (r *Report) makes() bool {
	return slices.ContainsFunc(r.Recordings, func(s recording.Summary) bool { return s.Info.Objects })
}

// addTypes adds the objects of a process, by type.
func (r *Report) addTypes(list []tracefile.TypeCount) {
	index := make(map[[2]string]*Row)
	for _, t := range r.types {
		index[[2]string{t.Name, t.Package}] = t
	}
	for i := range list {
		m := &list[i]
		key := [2]string{m.Type, m.Package}
		row := index[key]
		if row == nil {
			row = &Row{Func: function.Func{Name: m.Type, Package: m.Package}}
			index[key] = row
			r.types = append(r.types, row)
		}
		row.Objects += m.Objects
		row.Bytes += m.Bytes
	}
}

// Types returns a row for each type of objects to be printed, and how many more types there are. The
// most numerous are first, unless bytes are asked for.
func (r *Report) Types() (rows []*Row, more int) {
	rows = append(rows, r.types...)
	by := SortObjects
	if r.Sort == SortBytes {
		by = SortBytes
	}
	sortRows(rows, by)
	if r.Top > 0 && len(rows) > r.Top {
		return rows[:r.Top], len(rows) - r.Top
	}
	return rows, 0
}

// writeTypes prints the table of types.
func (r *Report) writeTypes(w io.Writer) error {
	rows, more := r.Types()
	title := "All objects constructed:"
	if more > 0 {
		title = fmt.Sprintf("Top %d objects constructed:", len(rows))
	}
	var short *names.Set
	if !r.FullNames {
		short = names.NewSet()
		for _, row := range rows {
			short.AddType(row.Name)
		}
	}
	t := &table.Table{Columns: []table.Column{{Head: "Objects", Right: true}, {Head: "Bytes", Right: true}, {Head: "Type"}}}
	for _, row := range rows {
		t.Rows = append(t.Rows, []table.Cell{
			table.Count(row.Objects), {Text: units.Bytes(int64(row.Bytes))}, {Text: short.ShortType(row.Name)},
		})
	}
	if r.By != ByType {
		title = "\n" + title
	}
	if _, err := fmt.Fprintln(w, title); err != nil {
		return err
	}
	return t.Write(w, r.Style)
}

// A jsonType is a type of objects.
type jsonType struct {
	Name    string `json:"name"`
	Package string `json:"package,omitempty"`
	Objects uint64 `json:"objects"`
	Bytes   uint64 `json:"bytes"`
}

func (r *Report) jsonTypes() *[]jsonType {
	list := []jsonType{}
	rows, _ := r.Types()
	for _, row := range rows {
		list = append(list, jsonType{row.Name, row.Package, row.Objects, row.Bytes})
	}
	return &list
}
