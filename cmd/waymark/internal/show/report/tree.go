package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// DefaultLevels is how many levels of calls are printed, unless the filter has a Depth, in nested
// JSON and of callers. Some readers of JSON allow only 256 nested brackets, and the work for
// callers is quadratic in the depth of a recursion.
const DefaultLevels = 100

// levels returns how many levels are printed where DefaultLevels matters.
func (r *Report) levels() int { return cmp.Or(r.Filter.Depth, DefaultLevels) }

// A view is what is shown of a call tree, --min and --depth apart.
type view struct {
	*calls.Tree
	calls.Children
	all int64 // total, ns, of what it is part of
	cut bool  // callers of more than DefaultLevels are left out
}

// view returns what is shown of the tree. It is the same each time.
func (r *Report) view() *view {
	if r.shown != nil {
		return r.shown
	}
	v := &view{Tree: &r.tree}
	r.shown = v
	switch {
	case r.Filter.Callers != nil:
		v.Tree, v.cut = r.tree.Callers(r.matching(r.Filter.Callers), r.levels())
		v.cut = v.cut && r.Filter.Depth == 0
	case r.Filter.Root != nil:
		v.Tree = r.tree.Callees(r.matching(r.Filter.Root))
	}
	for i := range v.Nodes {
		if n := &v.Nodes[i]; i > 0 && n.Parent == 0 {
			v.all += n.Sum.Total
		}
	}
	if r.Filter.Show != nil {
		show := r.matching(r.Filter.Show)
		v.Tree = v.Some(func(n *calls.Node, _ uint32) bool { return show(n.Row) })
	}
	v.Children = v.Order(func(a, b *calls.Node) int {
		if a.Sum.Total != b.Sum.Total {
			return cmp.Compare(b.Sum.Total, a.Sum.Total) // what took the most time first
		}
		x, y := r.rows[a.Row], r.rows[b.Row]
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	return v
}

// HideSmall leaves out of the tree what has less than a share of the time.
func (r *Report) HideSmall(share float64) {
	r.Filter.Min = time.Duration(share * float64(r.view().all))
}

// Overlaps reports whether an outermost row of the tree has more time than the program ran:
// goroutines that its calls started have run beside it.
func (r *Report) Overlaps() bool {
	ran := recording.Sum(r.Recordings).Duration
	return slices.ContainsFunc(r.tree.Nodes, func(n calls.Node) bool { return n.Parent == 0 && n.Sum.Total > ran })
}

// cell returns what text has of a column.
func cell(n uint64, unit string) table.Cell {
	if unit == "bytes" {
		return table.Cell{Text: units.Bytes(int64(n))}
	}
	return table.Count(n)
}

// matching turns a question about a function into a question about its row. It asks once for each
// row.
func (r *Report) matching(wanted func(*function.Func) bool) func(row uint32) bool {
	answers := make([]byte, len(r.rows)) // 0 isn't known
	return func(row uint32) bool {
		if answers[row] == 0 {
			answers[row] = 1
			if wanted(&r.rows[row].Func) {
				answers[row] = 2
			}
		}
		return answers[row] == 2
	}
}

// walk calls enter for the nodes that are shown, callers before callees, and leave, if it isn't
// nil, after what they call.
func (r *Report) walk(enter func(n *calls.Node, depth int), leave func(n *calls.Node, depth int)) {
	v := r.view()
	shown := func(n *calls.Node, depth int) bool {
		return n.Sum.Total >= int64(r.Filter.Min) && (r.Filter.Depth == 0 || depth < r.Filter.Depth)
	}
	v.Visit(func(i uint32, depth int) bool {
		n := &v.Nodes[i]
		if !shown(n, depth) {
			return false
		}
		enter(n, depth)
		return true
	}, func(i uint32, depth int) {
		if n := &v.Nodes[i]; leave != nil && shown(n, depth) {
			leave(n, depth)
		}
	})
}

// WriteTree prints the call tree of a report made with Options.Tree. note says what the form has
// left out, "" if nothing.
func (r *Report) WriteTree(w io.Writer, f Format) (note string, err error) {
	if r.view().cut {
		note = fmt.Sprintf("callers above %d levels are left out: --depth N shows N levels", DefaultLevels)
	}
	switch f {
	case JSON:
		left, err := r.writeNested(w)
		if left > 0 {
			note = fmt.Sprintf("%s below %d levels left out: --format rows has all, --depth N nests N levels", units.Things(left, "row"), DefaultLevels)
		}
		return note, err
	case Rows:
		return note, r.writeFlat(w)
	case CSV:
		c := csv.NewWriter(w)
		waits, columns := r.pathsWait(), r.tree.Columns(r.makes())
		head := []string{"depth", "total_ns", "self_ns", "calls", "panics", "name", "errors"}
		if waits {
			head = append(head, calls.OffHeads()...)
		}
		for _, column := range columns {
			head = append(head, column.Key)
		}
		c.Write(head)
		r.walk(func(n *calls.Node, depth int) {
			record := []string{strconv.Itoa(depth), strconv.FormatInt(n.Sum.Total, 10), strconv.FormatInt(n.Sum.Self, 10),
				strconv.FormatUint(n.Sum.Calls, 10), strconv.FormatUint(n.Sum.Panics, 10), r.rows[n.Row].Name, strconv.FormatUint(n.Sum.Errors, 10)}
			if waits {
				record = append(record, n.Sum.Offs().Total.Fields(n.Sum.Total)...)
			}
			for _, column := range columns {
				record = append(record, unsigned(column.Of(&n.Sum)))
			}
			c.Write(record)
		}, nil)
		c.Flush()
		return note, c.Error()
	}
	return note, r.writeTreeText(w)
}

func (r *Report) writeTreeText(w io.Writer) error {
	all := time.Duration(r.view().all)
	t := &table.Table{Columns: slices.Clone(table.PathColumns)}
	columns := r.view().Columns(r.view().Makes())
	for _, column := range columns {
		t.Columns = append(t.Columns, table.Column{Head: column.Head, Right: true})
	}
	t.Columns = append(t.Columns, table.Column{Head: "Function"})
	waiting := r.Waiting && r.pathsWait()
	if waiting {
		t.Columns = append(slices.Clone(offColumns), t.Columns[1:]...)
		t.Columns = append(t.Columns, table.Column{Head: "Waiting for"})
	}
	t.Stream = func(line func([]table.Cell)) {
		r.walk(func(n *calls.Node, depth int) {
			row := r.rows[n.Row]
			name := table.Indent(depth) + r.names.Short(row.Name)
			if row.Open > 0 && row.Open == row.Calls {
				name += table.AllOpen
			}
			on := table.Calls{
				Calls: n.Sum.Calls, Panics: n.Sum.Panics, Errors: n.Sum.Errors, Total: time.Duration(n.Sum.Total), Self: time.Duration(n.Sum.Self),
				About: row.Demoted, AboutSelf: n.Sum.About, AboutTotal: n.Sum.AboutTotal, Untimed: row.Unknown(), AboutCalls: row.AboutCalls(),
			}
			cells := on.Path(all)
			for _, column := range columns {
				cells = append(cells, cell(column.Of(&n.Sum), column.Unit))
			}
			cells = append(cells, table.Cell{Text: name})
			if waiting {
				off := &n.Sum.Offs().Total
				cells = append(offCells(off, n.Sum.Total), cells[1:]...)
				cells = append(cells, table.Cell{Text: off.Longest()})
			}
			line(cells)
		}, nil)
	}
	if err := t.Write(w, r.Style); err != nil {
		return err
	}
	if line := r.placeless(); line != "" {
		if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
			return err
		}
	}
	return r.writeFoot(w)
}

// placelessNames is how many functions placeless names.
const placelessNames = 5

// placeless names the functions with counted calls, of which nobody knows the callers.
func (r *Report) placeless() string {
	all := r.counted()
	untimed := func(row *Row) uint64 {
		if all {
			return row.Calls
		}
		if !row.Unknown() {
			return 0 // samples have callers
		}
		return row.Calls - row.Recorded()
	}
	var rows []*Row
	for _, row := range r.rows {
		if untimed(row) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	slices.SortFunc(rows, func(a, b *Row) int { return cmp.Or(cmp.Compare(untimed(b), untimed(a)), cmp.Compare(a.Name, b.Name)) })
	var list []string
	for _, row := range rows[:min(len(rows), placelessNames)] {
		list = append(list, fmt.Sprintf("%s (%s)", r.names.Short(row.Name), units.Things(untimed(row), "call")))
	}
	if n := len(rows) - len(list); n > 0 {
		list = append(list, units.Things(uint64(n), "more function"))
	}
	return "counted, so not in the tree: " + strings.Join(list, ", ")
}
