package levels

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// A Call is one call with all that the recording says of it.
type Call struct {
	calltree.Call          // Args, Results and Panic are encoded, see package value
	Callers       []Caller // outer ones first
	Children      []*Lane  // goroutines that it started, some of them if there are many
	AllChildren   int
	Waits         []calltree.Stroke // in which its goroutine did not run, some of them if there are many
	AllWaits      uint64
	Runnable      uint64 // ticks in which the goroutine was ready
	Waiting       uint64 // ticks in which it waited

	// Far says that the call is so long that only its beginning and its end were read. Then Self is
	// not known, nor the value of a panic that began long before the end.
	Far bool
}

// A Caller is a call around another one.
type Caller struct {
	Site  uint32
	Start uint64 // clock
}

const (
	maxChildren = 100
	maxWaits    = 100
)

// ErrNoCall says that there is no such call.
var ErrNoCall = errors.New("no such call in the recording")

// Call returns the call that began on a goroutine within r, of the function with the id site and
// with so many callers. Of several it is the first.
func (x *Index) Call(goroutine uint64, r tracefile.Range, site uint32, depth int) (*Call, error) {
	lane := x.Lane(goroutine)
	if lane == nil {
		return nil, ErrNoCall
	}
	// A call that takes long is in the index.
	var long *calltree.Stroke
	if err := x.strokes(lane, r, x.Base, func(st *calltree.Stroke) {
		if st.Kind == calltree.OneCall && st.Start >= r.From && st.Start <= r.To && st.Site == site && int(st.Depth) == depth && (long == nil || st.Start < long.Start) {
			one := *st
			long = &one
		}
	}); err != nil {
		return nil, err
	}
	read := x.around(r)
	c := new(Call)
	found := false
	if long != nil {
		if all := x.around(tracefile.Range{From: long.Start, To: long.End}); x.p.File.CountIn(all) <= 2*maxEvents {
			read = all
		} else {
			c.Far = true
			read = x.around(tracefile.Range{From: long.Start, To: long.Start})
		}
	} else if x.p.File.CountIn(read) > 8*maxEvents {
		return nil, errors.New("too many events around the call: a call that is so short can't be read")
	}
	var began calltree.Call
	var callers, stack []Caller
	open, err := x.open(lane, read.From)
	if err != nil {
		return nil, err
	}
	for i := range open {
		stack = append(stack, Caller{open[i].Site, open[i].Start})
	}
	o := calltree.Options{
		OnEnter: func(e *calltree.Call) {
			stack = append(stack[:min(e.Depth, len(stack))], Caller{e.Site, e.Began})
			if !found && e.Began >= r.From && e.Began <= r.To && e.Site == site && e.Depth == depth {
				found = true
				began = *e
				began.Args = bytes.Clone(e.Args)
				callers = slices.Clone(stack[:len(stack)-1])
			}
		},
		OnCall: func(e *calltree.Call) {
			if !found && e.Flags&calltree.Long != 0 && e.Began >= r.From && e.Began <= r.To && e.Site == site && e.Depth == depth {
				found, began = true, *e // which had no beginning
				callers = slices.Clone(stack[:min(depth, len(stack))])
			}
			if e.Flags&calltree.Info == 0 && found && c.Site == 0 && c.End == 0 && e.Began == began.Began && e.Site == site && e.Depth == depth {
				c.Call = *e
				c.Args, c.Results, c.Panic = nil, bytes.Clone(e.Results), bytes.Clone(e.Panic)
			}
		},
	}
	if err := x.follow(read, []*Lane{lane}, o); err != nil {
		return nil, err
	}
	if !found && long != nil && long.Flags&calltree.Long != 0 {
		// A counted call: of it, there is no more.
		c.Call = calltree.Call{Goroutine: goroutine, Site: site, Depth: depth, Start: long.Start, Began: long.Start, End: long.End, Flags: long.Flags}
		return c, x.surroundings(c, lane)
	}
	if !found {
		return nil, ErrNoCall
	}
	if c.Far {
		end, err := x.ending(lane, long)
		if err != nil {
			return nil, err
		}
		c.Call = *end
		c.Start, c.Began, c.End, c.Flags = long.Start, long.Start, long.End, long.Flags
	}
	c.Goroutine, c.Site, c.Depth, c.Args = goroutine, site, depth, began.Args
	c.Callers = callers
	return c, x.surroundings(c, lane)
}

// ending reads the end of a call that takes long.
func (x *Index) ending(lane *Lane, long *calltree.Stroke) (*calltree.Call, error) {
	end := new(calltree.Call)
	r := tracefile.Range{From: max(long.Start+1, long.End-min(x.sketch.Limit(x.Base), long.End)), To: long.End}
	if x.p.File.CountIn(r) > 2*maxEvents {
		r.From = long.End
	}
	return end, x.follow(r, []*Lane{lane}, calltree.Options{OnCall: func(e *calltree.Call) {
		if e.Began == long.Start && e.Site == long.Site && e.Depth == int(long.Depth) {
			*end = *e
			end.Args, end.Results, end.Panic = nil, bytes.Clone(e.Results), bytes.Clone(e.Panic)
		}
	}})
}

// surroundings finds what the call's goroutine waited for, and which goroutines it started.
func (x *Index) surroundings(c *Call, lane *Lane) error {
	r := tracefile.Range{From: c.Start, To: c.End}
	waits := func(st *calltree.Stroke) {
		if st.Kind <= calltree.Shorts || st.Start < c.Start || st.End > c.End {
			return
		}
		c.AllWaits += st.Calls
		c.Runnable += st.Ready
		c.Waiting += st.Busy
		if len(c.Waits) < maxWaits {
			c.Waits = append(c.Waits, *st)
		}
	}
	if x.p.File.Info().Waiting {
		var err error
		if all := x.around(r); x.p.File.CountIn(all) <= maxEvents {
			sketch := quiet(0)
			sketch.OnStroke = waits
			err = x.follow(all, []*Lane{lane}, calltree.Options{Sketch: sketch})
		} else {
			err = x.strokes(lane, r, x.Base, waits)
			slices.SortStableFunc(c.Waits, func(a, b calltree.Stroke) int { return cmp.Compare(a.Start, b.Start) })
		}
		if err != nil {
			return err
		}
		if c.Off != nil {
			c.Runnable, c.Waiting = c.Off.Total.Runnable, c.Off.Total.Sum()-c.Off.Total.Runnable
		}
	}
	c.Children, c.AllChildren = x.Births(map[uint64]bool{lane.ID: true}, r, maxChildren)
	return nil
}

// Births returns the first goroutines that some others started within r, and how many there are.
func (x *Index) Births(parents map[uint64]bool, r tracefile.Range, most int) (list []*Lane, all int) {
	first, _ := slices.BinarySearchFunc(x.byStart, r.From, func(i int32, clock uint64) int { return cmp.Compare(x.lanes[i].Start, clock) })
	for _, i := range x.byStart[first:] {
		l := &x.lanes[i]
		if l.Start > r.To {
			break
		}
		if parents[l.Parent] {
			if all++; len(list) < most {
				list = append(list, l)
			}
		}
	}
	return list, all
}
