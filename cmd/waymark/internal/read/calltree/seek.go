package calltree

import (
	"bytes"
	"runtime"

	"github.com/waymark-go/waymark/tracefile"
)

// NewAt returns a Builder that knows which calls are open in file when the window begins. It also
// returns the range of time of the events that are still to be added. Blocks before the window are
// read by several workers, which follow nothing but stacks. If clocks of streams disagree, the
// range is all of the recording.
func NewAt(file *tracefile.File, o Options) (*Builder, tracefile.Range) {
	if o.From <= 1 {
		return New(o), tracefile.Range{}
	}
	b := New(o)
	_, err := b.readBlocks(file, tracefile.Range{From: o.From, To: o.From - 1}, true, runtime.GOMAXPROCS(0), func(int) {})
	if err == nil {
		err = b.findArguments()
	}
	if err != nil {
		return New(o), tracefile.Range{} // Add returns the error, if it isn't errOrder
	}
	return b, tracefile.Range{From: o.From}
}

// findArguments reads the arguments of open calls from the blocks in which the calls began.
func (b *Builder) findArguments() error {
	type call struct {
		goroutine, clock uint64
		site, token      uint32
	}
	type place struct {
		g *goroutine
		i int // of the frame
	}
	open := make(map[tracefile.BlockRef]map[call]place)
	for _, g := range b.alive {
		for i, ref := range g.began[:min(len(g.began), len(g.stack))] {
			f := &g.stack[i]
			if open[ref] == nil {
				open[ref] = make(map[call]place)
			}
			open[ref][call{g.ID, f.enter, f.site, f.token}] = place{g, i}
		}
		g.began = nil
	}
	var block tracefile.Block
	for ref, calls := range open {
		if err := block.Open(ref); err != nil {
			return err
		}
		for events := block.Next(); len(events) > 0; events = block.Next() {
			for i := range events {
				ev := &events[i]
				if ev.Kind != tracefile.Enter || ev.Data == nil {
					continue
				}
				if p, ok := calls[call{ev.Goroutine, ev.Clock, ev.Site, ev.Token}]; ok {
					if p.g.early == nil {
						p.g.early = make(map[int][]byte)
					}
					p.g.early[p.i] = bytes.Clone(ev.Data)
				}
			}
		}
	}
	return nil
}
