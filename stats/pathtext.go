package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	calltree "github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/text/names"
	texttable "github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// writePaths writes the tree of paths: callees below their callers, the greatest total first.
func (t Text) writePaths(b *bytes.Buffer, short *names.Set) {
	paths := t.Snapshot.Paths
	all, least := int64(0), int64(0)
	for i := range paths {
		if paths[i].Parent < 0 {
			all += int64(paths[i].Total)
		}
	}
	if t.Top > 0 {
		least = all / 100
	}
	table := &texttable.Table{Columns: append(slices.Clone(texttable.PathColumns), texttable.Column{Head: "Function"})}
	stat := make(map[string]*Stat)
	for i := range t.Snapshot.Functions {
		stat[t.Snapshot.Functions[i].Name] = &t.Snapshot.Functions[i]
	}
	shown := 0
	order := calltree.Below(len(paths)+1, func(n uint32) uint32 { return uint32(paths[n-1].Parent + 1) })
	order.Sort(func(a, b uint32) int { return cmp.Compare(paths[b-1].Total, paths[a-1].Total) })
	order.Visit(func(n uint32, depth int) bool {
		p := &paths[n-1]
		if int64(p.Total) < least {
			return false
		}
		shown++
		name := strings.Repeat("  ", depth) + short.Short(p.Name())
		if p.Open > 0 && p.Open == p.Calls {
			name += texttable.AllOpen
		}
		on := texttable.Calls{
			Calls: p.Calls, Panics: p.Panics, Errors: p.Errors, Total: p.Total, Self: p.Self,
			AboutSelf: p.Estimated, AboutTotal: p.EstimatedTotal,
		}
		if f := stat[p.Name()]; f != nil {
			on.About, on.Untimed = f.Untimed > 0, f.unknown()
		}
		table.Rows = append(table.Rows, append(on.Path(time.Duration(all)), texttable.Cell{Text: name}))
		return true
	}, nil)
	fmt.Fprintln(b, "\nCall tree:")
	table.Write(b, texttable.Style{})
	if n := len(paths) - shown; n > 0 {
		fmt.Fprintf(b, "  %s below 1 %% of the time left out\n", units.Things(uint64(n), "path"))
	}
}
