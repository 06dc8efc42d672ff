package tracetext

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Trace is what is printed of a trace as a whole.
type Trace struct {
	Key       string
	Root      string // name of the function
	Goroutine string
	Start     time.Duration // since the beginning of what is printed
	Duration  time.Duration
	Open      bool // the root call has not ended: Duration is until now

	Calls, Panics, Errors uint64
	Goroutines            uint64 // all, with that of the root call

	Objects, Bytes uint64 // of the heap, that the calls made

	Parts []time.Duration // of Duration: how long the goroutine ran, was ready, and waited; nil: that isn't printed
}

// A Node adds up the calls of a function that the calls of another node made, in one trace. Times
// are in ns.
type Node struct {
	Name      string // of the function
	Args      string // of the calls, as (n=1), if they are shown
	Goroutine bool   // root calls of goroutines that the calls of the node above have started
	Depth     int

	Calls, Panics, Errors uint64
	Open                  uint64 // calls that have not ended
	Detached              uint64 // calls that ended after the trace's root call
	Total, Self           int64
	Min, Max              int64 // of a call

	Parts []time.Duration // of Total, as in Trace
	Note  string          // what goroutines waited for
}

var partHeads = []string{"Running", "Runnable", "Waiting"}

// Avg returns the average duration of a call, ns.
func (n *Node) Avg() int64 { return n.Total / int64(max(n.Calls, 1)) }

// WriteList prints traces as a table. short, unless nil, shortens names of functions.
func WriteList(w io.Writer, list []Trace, short *names.Set, s table.Style) error {
	t := &table.Table{Columns: []table.Column{
		{Head: "Key"}, {Head: "Start", Right: true}, {Head: "Duration", Right: true}, {Head: "Calls", Right: true},
		{Head: "Panics", Right: true, Spare: 2}, {Head: "Errors", Right: true, Spare: 3}, {Head: "Goroutines", Right: true, Spare: 1}, {Head: "Root"}}}
	parts := len(list) > 0 && list[0].Parts != nil
	if parts {
		for i, head := range partHeads {
			t.Columns = slices.Insert(t.Columns, 3+i, table.Column{Head: head, Right: true})
		}
	}
	makes := slices.ContainsFunc(list, func(t Trace) bool { return t.Objects > 0 })
	if makes {
		t.Columns = slices.Insert(t.Columns, len(t.Columns)-1, table.Column{Head: "Objects", Right: true}, table.Column{Head: "Bytes", Right: true})
	}
	for i := range list {
		tr := &list[i]
		root := short.Short(tr.Root)
		if tr.Open {
			root += " (open)"
		}
		row := []table.Cell{{Text: tr.Key}, table.Duration(tr.Start), table.Duration(tr.Duration)}
		for _, d := range tr.Parts {
			row = append(row, table.Duration(d))
		}
		row = append(row, table.Count(tr.Calls), table.Panics(tr.Panics), table.Errors(tr.Errors), table.Count(tr.Goroutines))
		if makes {
			row = append(row, table.Count(tr.Objects), table.Cell{Text: units.Bytes(int64(tr.Bytes))})
		}
		t.Rows = append(t.Rows, append(row, table.Cell{Text: root}))
	}
	return t.Write(w, s)
}

// WriteTree prints the calls of a trace: n nodes, callees behind their callers. It prints depth
// levels; 0 is all. left is the number of calls that are in no node, and lost what is said of them.
func WriteTree(out io.Writer, tr Trace, n int, node func(i int) *Node, short *names.Set, depth int, left uint64, lost string) error {
	w := bufio.NewWriter(out)
	ended := "took " + units.Duration(tr.Duration)
	if tr.Open {
		ended = "has not ended, after " + units.Duration(tr.Duration)
	}
	fmt.Fprintf(w, "%v: %s on goroutine %v at %s, %s: %s", tr.Key, short.Short(tr.Root), tr.Goroutine, units.Duration(tr.Start), ended, units.Things(tr.Calls, "call"))
	if tr.Goroutines > 1 {
		fmt.Fprintf(w, " on %s", units.Things(tr.Goroutines, "goroutine"))
	}
	fmt.Fprint(w, "\n\n     Total        Self  ")
	for i := range tr.Parts {
		fmt.Fprint(w, right(partHeads[i]), "  ")
	}
	fmt.Fprint(w, "Function [calls, min, avg, max, total]\n")
	hidden := left
	for i := 0; i < n; i++ {
		n := node(i)
		if depth > 0 && n.Depth >= depth {
			hidden += n.Calls
			continue
		}
		fmt.Fprintf(w, "%s  %s  ", right(units.Aligned(n.Total)), right(units.Aligned(n.Self)))
		for _, d := range n.Parts {
			fmt.Fprint(w, right(units.Aligned(d)), "  ")
		}
		fmt.Fprintf(w, "%s%s\n", table.Indent(n.Depth), n.text(short))
	}
	if hidden > 0 {
		fmt.Fprintf(w, "\n%s not shown: %s\n", units.Things(hidden, "call"), lost)
	}
	return w.Flush()
}

// right aligns a duration in its column.
func right(text string) string {
	const width = 10
	return strings.Repeat(" ", max(width-len(text), 0)) + text
}

func (n *Node) text(short *names.Set) string {
	text := short.Short(n.Name) + n.Args
	if n.Goroutine {
		text = "go " + text
	}
	if n.Calls > 1 {
		text += fmt.Sprintf(" [%d, %s, %s, %s, %s]", n.Calls, units.Duration(n.Min), units.Duration(n.Avg()), units.Duration(n.Max), units.Duration(n.Total))
	}
	for _, mark := range []struct {
		n    uint64
		word string
	}{{n.Panics, "panicked"}, {n.Errors, "failed"}, {n.Detached, "detached"}, {n.Open, "open"}} {
		switch {
		case mark.n == 0:
		case n.Calls == 1:
			text += ", " + mark.word
		default:
			text += ", " + strconv.FormatUint(mark.n, 10) + " " + mark.word
		}
	}
	if n.Note != "" {
		text += ", waiting for " + n.Note
	}
	return text
}
