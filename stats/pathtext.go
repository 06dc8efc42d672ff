package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
	texttable "github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// writePaths writes the tree of paths: callees below their callers, the greatest total first.
func (t Text) writePaths(b *bytes.Buffer, short *names.Set) {
	paths := t.Snapshot.Paths
	all, least := int64(0), int64(0)
	children := make([][]int, len(paths)+1) // by index of the parent, and one more
	for i := range paths {
		children[paths[i].Parent+1] = append(children[paths[i].Parent+1], i)
		if paths[i].Parent < 0 {
			all += int64(paths[i].Total)
		}
	}
	if t.Top > 0 {
		least = all / 100
	}
	table := &texttable.Table{Columns: []texttable.Column{
		{Head: "Total time", Right: true}, {Head: "Self time", Right: true}, {Head: "%", Right: true},
		{Head: "Calls", Right: true}, {Head: "Panics", Right: true}, {Head: "Errors", Right: true}, {Head: "Function"},
	}}
	shown := 0
	var add func(list []int, depth int)
	add = func(list []int, depth int) {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(paths[b].Total, paths[a].Total) })
		for _, i := range list {
			p := &paths[i]
			if int64(p.Total) < least {
				continue
			}
			shown++
			name := strings.Repeat("  ", depth) + short.Short(p.Name())
			if p.Open > 0 && p.Open == p.Calls {
				name += texttable.AllOpen
			}
			self, calls := texttable.Duration(p.Self), texttable.Count(p.Calls)
			if p.Estimated {
				self, calls = self.About(), calls.About()
			}
			table.Rows = append(table.Rows, []texttable.Cell{
				texttable.Duration(p.Total), self, {Text: strconv.FormatFloat(100*float64(p.Total)/float64(max(all, 1)), 'f', 1, 64)},
				calls, texttable.Panics(p.Panics), texttable.Errors(p.Errors), {Text: name},
			})
			add(children[i+1], depth+1)
		}
	}
	add(children[0], 0)
	fmt.Fprintln(b, "\nCall tree:")
	table.Write(b, texttable.Style{})
	if n := len(paths) - shown; n > 0 {
		fmt.Fprintf(b, "  %s below 1 %% of the time left out\n", units.Things(uint64(n), "path"))
	}
}
