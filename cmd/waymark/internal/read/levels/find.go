package levels

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// Next returns the first call of a function that begins at the given clock or later. It
// searches one goroutine, or all if goroutine is 0. Counted calls have no beginning: of these
// it returns the first that ends. The error is ErrNoCall if there is none.
func (x *Index) Next(site uint32, clock, goroutine uint64) (*Call, error) {
	if bits := x.sites[site]; bits != nil {
		for i := x.slotAt(clock); i < slots; i++ {
			if bits[i/64]>>(i%64)&1 == 0 {
				continue
			}
			r := x.slotRange(i)
			r.From = max(r.From, clock)
			var first *tracefile.Event
			err := x.enters(r, site, goroutine, func(ev *tracefile.Event) bool {
				first = ev
				return false
			})
			if err != nil {
				return nil, err
			}
			if first != nil {
				return x.found(first)
			}
		}
	}
	return nil, ErrNoCall
}

// Previous returns the last call of a function that begins at the given clock or earlier, as Next
// does.
func (x *Index) Previous(site uint32, clock, goroutine uint64) (*Call, error) {
	if bits := x.sites[site]; bits != nil {
		for i := x.slotAt(clock); i >= 0; i-- {
			if bits[i/64]>>(i%64)&1 == 0 {
				continue
			}
			r := x.slotRange(i)
			r.To = min(r.To, clock)
			var last *tracefile.Event
			err := x.enters(r, site, goroutine, func(ev *tracefile.Event) bool {
				last = ev
				return true
			})
			if err != nil {
				return nil, err
			}
			if last != nil {
				return x.found(last)
			}
		}
	}
	return nil, ErrNoCall
}

func (x *Index) slotAt(clock uint64) int {
	if clock <= x.Zero {
		return 0
	}
	return int(min((clock-x.Zero)/x.Slot, slots-1))
}

// slotRange returns the time of a slot; the first and the last one have all that is before and behind.
func (x *Index) slotRange(i int) tracefile.Range {
	begin, end := x.slot(i)
	if i == 0 {
		begin = 1
	}
	if i == slots-1 {
		end = 1<<63 - 1
	}
	return tracefile.Range{From: begin, To: end}
}

// enters calls do with the beginnings of the calls of a function in r, until do wants no more.
func (x *Index) enters(r tracefile.Range, site uint32, goroutine uint64, do func(*tracefile.Event) bool) error {
	if r.From > r.To {
		return nil
	}
	var ev tracefile.Event
	events := x.p.File.EventsIn(r)
	for events.Next(&ev) {
		if (ev.Kind == tracefile.Enter || ev.Kind == tracefile.Long) && ev.Site == site && ev.Goroutine != 0 && (goroutine == 0 || ev.Goroutine == goroutine) {
			one := ev
			one.Data = nil
			if !do(&one) {
				break
			}
		}
	}
	return events.Err()
}

// found returns the call that an event is the beginning of.
func (x *Index) found(ev *tracefile.Event) (*Call, error) {
	begin := ev.Begin()
	lane := x.Lane(ev.Goroutine)
	if lane == nil {
		return nil, ErrNoCall
	}
	// How deep it is, its callers tell.
	depth := -1
	var end uint64
	read := x.around(tracefile.Range{From: begin, To: begin})
	if x.p.File.CountIn(read) <= 8*maxEvents {
		err := x.follow(read, []*Lane{lane}, calltree.Options{
			OnEnter: func(e *calltree.Call) {
				if depth < 0 && e.Began == begin && e.Site == ev.Site {
					depth = e.Depth
				}
			},
			OnCall: func(e *calltree.Call) {
				if depth < 0 && e.Flags&calltree.Long != 0 && e.Began == begin && e.Site == ev.Site {
					depth, end = e.Depth, e.End
				}
			},
		})
		if err != nil {
			return nil, err
		}
	}
	if depth < 0 {
		return &Call{Call: calltree.Call{Goroutine: ev.Goroutine, Site: ev.Site, Start: begin, Began: begin, End: max(end, begin)}, Far: true}, nil
	}
	c, err := x.Call(ev.Goroutine, tracefile.Range{From: begin, To: begin}, ev.Site, depth)
	if err != nil && end > 0 {
		return &Call{Call: calltree.Call{Goroutine: ev.Goroutine, Site: ev.Site, Depth: depth, Start: begin, Began: begin, End: end, Flags: calltree.Long}}, nil
	}
	return c, err
}
