package calltree

import (
	"github.com/waymark-go/waymark/tracefile"
)

// maxLongs bounds what a goroutine remembers. Of a call that made more long calls than that,
// directly or not, Total has some twice, if they are of one row.
const maxLongs = 256

// A longCall is what a goroutine remembers of the call of a Long event, in the order of their ends.
type longCall struct {
	row   uint32
	token uint32
	begin uint64 // clock
	added uint64 // to the Total of the row
}

// long counts the call of a Long event, of which only the end and the length are known. What the
// call made has been counted already, as calls of the innermost call that was recorded as a whole.
// So the call's own time stays that innermost call's too.
func (b *Builder) long(g *goroutine, ev *tracefile.Event, clock uint64) {
	row, ok := b.table.row(ev.Site, &b.sites)
	if !ok {
		b.problems.Unknown++
		return
	}
	b.unwind(g, ev.Token, clock)
	begin := clock - min(ev.Value, clock)
	start := max(begin, b.opt.From)
	if row == leftOut || clock < start || clock-start < b.opt.Min {
		return
	}
	total := clock - start
	if int(row) >= len(b.rows) {
		b.rows = b.table.grow(b.rows, row)
	}
	r := &b.rows[row]
	r.add(total, 0, false, 0)
	r.Long++
	g.Calls++
	if b.paths != nil {
		node := b.paths.Child(g.node(), row)
		b.paths.add(node, total, 0, 0)
		b.paths.Nodes[node].Sum.long += total
	}
	// The calls that this one made come before it. Those of the same row were not outermost.
	added := uint64(0)
	if !g.open.has(row) {
		added = total
	}
	for i := len(g.longs) - 1; i >= 0 && g.longs[i].token >= ev.Token && g.longs[i].begin >= begin; i-- {
		if g.longs[i].row == row {
			added -= min(g.longs[i].added, added)
		}
	}
	r.Total += added
	if len(g.longs) == maxLongs {
		g.longs = append(g.longs[:0], g.longs[maxLongs/2:]...)
	}
	if b.opt.Sketch != nil {
		b.sketchLong(g, ev, begin, clock)
	}
	g.longs = append(g.longs, longCall{row, ev.Token, begin, added})
	if b.opt.OnCall != nil {
		b.call = Call{Goroutine: g.ID, Site: ev.Site, Depth: g.kept, Start: start, End: clock, Began: begin, Flags: Long, Recursive: added < total}
		b.opt.OnCall(&b.call)
	}
}
