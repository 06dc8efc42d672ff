package tracetext

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Trace is what is printed of a trace as a whole.
type Trace struct {
	Key       string
	Root      string // name of the function
	Args      string // of the root call, as (n=1); "" if nobody knows them
	Goroutine string
	Start     time.Duration // since the beginning of what is printed
	Duration  time.Duration
	Open      bool // the root call has not ended: Duration is until now

	Calls, Panics, Errors uint64
	Goroutines            uint64 // all, with that of the root call

	Objects, Bytes uint64 // of the heap, that the calls made

	Parts []time.Duration // of Duration: how long the goroutine ran, was ready, and waited; nil: that isn't printed
}

var partHeads = []string{"Running", "Runnable", "Waiting"}

// WriteList prints traces as a table. short, unless nil, shortens names of functions.
func WriteList(w io.Writer, list []Trace, short *names.Set, s table.Style) error {
	t := &table.Table{Columns: []table.Column{
		{Head: "Key"}, {Head: "Start", Right: true}, {Head: "Duration", Right: true}, {Head: "Calls", Right: true},
		{Head: "Panics", Right: true, Spare: 2}, {Head: "Errors", Right: true, Spare: 3}, {Head: "Goroutines", Right: true, Spare: 1}, {Head: "Root"}},
		CutEnds: slices.ContainsFunc(list, func(t Trace) bool { return t.Args != "" })}
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
			root += " (open) "
		}
		root = strings.TrimSuffix(root+tr.Args, " ")
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

// WriteTree prints the calls of a trace, callees behind their callers; with tr.Parts also when goroutines
// ran. It prints depth levels; 0 is all. left is the number of calls that are in no node, and lost what is
// said of them.
func WriteTree(out io.Writer, tr Trace, tree *calls.Trace, short *names.Set, depth int, left uint64, lost string) error {
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
	order := tree.Order()
	order.Visit(func(i uint32, level int) bool {
		n := &tree.Nodes[i].Sum
		if depth > 0 && level >= depth {
			hidden += n.Calls
			return true
		}
		fmt.Fprintf(w, "%s  %s  ", right(units.Aligned(n.Total)), right(units.Aligned(n.Self)))
		note := ""
		if tr.Parts != nil {
			off := &n.Offs().Total
			for _, d := range off.Parts(n.Total) {
				fmt.Fprint(w, right(units.Aligned(d)), "  ")
			}
			note = waits(off, n.Ready)
		}
		fmt.Fprintf(w, "%s%s%s\n", table.Indent(level), text(n, short), note)
		return true
	}, nil)
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

func text(n *calls.Traced, short *names.Set) string {
	text := short.Short(n.Name) + n.Args
	if n.Go {
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
	return text
}

// waits says what most of the waiting was for, and how long goroutines were ready before they made these calls.
func waits(off *calls.Off, ready int64) string {
	note := off.Longest()
	if ready != 0 {
		if note != "" {
			note += ", "
		}
		note += "ready for " + units.Duration(ready) + " before"
	}
	if note == "" {
		return ""
	}
	return ", waiting for " + note
}
