package levels

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/waymark-go/waymark/tracefile"
)

// A Lane is what a goroutine did, in ticks.
type Lane struct {
	ID       uint64
	Parent   uint64 // 0 if its start was not recorded
	Start    uint64 // clock of its first event
	End      uint64 // clock of its end, of the recording's if it was alive then
	Calls    uint64
	Total    uint64 // of root calls
	Runnable uint64 // of Total
	Waiting  uint64 // of Total
	Origin   uint32 // of the go statement, 0 if unknown
	Panics   uint32
	Errors   uint32
	Depth    uint32 // how many calls were open at a time, at most
	Ended    bool

	chunk, chunks int // of its strokes: the first one, and how many
}

const laneBytes = 8*8 + 4*7

// append appends a row. Numbers that grow from lane to lane are differences to those of the one before, as small
// numbers take less when the table is packed.
func (l *Lane) append(b []byte, before *Lane) []byte {
	le := binary.LittleEndian
	for _, n := range []uint64{l.ID - before.ID, l.Parent, l.Start - before.Start, l.End - l.Start, l.Calls, l.Total, l.Runnable, l.Waiting} {
		b = le.AppendUint64(b, n)
	}
	ended := uint32(0)
	if l.Ended {
		ended = 1
	}
	for _, n := range []uint32{l.Origin, l.Panics, l.Errors, l.Depth, ended, uint32(l.chunk - before.chunk), uint32(l.chunks)} {
		b = le.AppendUint32(b, n)
	}
	*before = *l
	return b
}

func (l *Lane) parse(b []byte, before *Lane) {
	le := binary.LittleEndian
	for i, n := range []*uint64{&l.ID, &l.Parent, &l.Start, &l.End, &l.Calls, &l.Total, &l.Runnable, &l.Waiting} {
		*n = le.Uint64(b[8*i:])
	}
	b = b[64:]
	var ended, chunk, chunks uint32
	for i, n := range []*uint32{&l.Origin, &l.Panics, &l.Errors, &l.Depth, &ended, &chunk, &chunks} {
		*n = le.Uint32(b[4*i:])
	}
	l.ID += before.ID
	l.Start += before.Start
	l.End += l.Start
	l.Ended, l.chunk, l.chunks = ended != 0, before.chunk+int(int32(chunk)), int(int32(chunks))
	*before = *l
}

// A Group is the goroutines that one go statement has created, or those of which nobody knows it.
type Group struct {
	ID     int // its place among the groups
	Origin tracefile.Origin
	Known  bool // Origin
	Lanes  int
	Sum    Lane // Start and End are those of the first and of the last; Depth is the greatest

	lanes []int32 // indexes of lanes, by start
}

// group divides the lanes into groups, in the order in which their first goroutines began.
func (x *Index) group() {
	type place struct {
		function, file string
		line           int
	}
	byStart := make([]int32, len(x.lanes))
	for i := range byStart {
		byStart[i] = int32(i)
	}
	slices.SortStableFunc(byStart, func(a, b int32) int { return cmp.Compare(x.lanes[a].Start, x.lanes[b].Start) })
	x.byStart = byStart
	index := make(map[place]int)
	origins := make(map[uint32]int)
	for _, i := range byStart {
		l := &x.lanes[i]
		g, ok := origins[l.Origin]
		if !ok {
			o, known := x.p.File.Origin(l.Origin)
			at := place{o.Func, o.File, o.Line}
			if g, ok = index[at]; !ok {
				g = len(x.groups)
				index[at] = g
				x.groups = append(x.groups, Group{ID: g, Origin: o, Known: known, Sum: Lane{Start: l.Start}})
			}
			origins[l.Origin] = g
		}
		to := &x.groups[g]
		to.lanes = append(to.lanes, i)
		to.Lanes++
		s := &to.Sum
		s.End, s.Depth = max(s.End, l.End), max(s.Depth, l.Depth)
		s.Calls += l.Calls
		s.Total += l.Total
		s.Runnable += l.Runnable
		s.Waiting += l.Waiting
		s.Panics += l.Panics
		s.Errors += l.Errors
	}
}

// Groups returns the groups of goroutines. The result must not be changed.
func (x *Index) Groups() []Group { return x.groups }

// Lane returns the lane of a goroutine, nil if the recording has none.
func (x *Index) Lane(id uint64) *Lane {
	i, ok := slices.BinarySearchFunc(x.lanes, id, func(l Lane, id uint64) int { return cmp.Compare(l.ID, id) })
	if !ok {
		return nil
	}
	return &x.lanes[i]
}

// Lanes returns a page of the lanes of a group that were alive within r, in the order of their
// starts. It also returns how many there are altogether.
func (x *Index) Lanes(group int, r tracefile.Range, offset, limit int) (list []*Lane, all int) {
	if group < 0 || group >= len(x.groups) {
		return nil, 0
	}
	for _, i := range x.groups[group].lanes {
		l := &x.lanes[i]
		if r.To > 0 && l.Start > r.To || l.End < r.From {
			continue
		}
		if all >= offset && len(list) < limit {
			list = append(list, l)
		}
		all++
	}
	return list, all
}

// Position returns the group of a goroutine and its place there among those that were alive within r,
// -1 if it was not.
func (x *Index) Position(id uint64, r tracefile.Range) (group, place int) {
	for g := range x.groups {
		n := 0
		for _, i := range x.groups[g].lanes {
			l := &x.lanes[i]
			if l.ID == id {
				if r.To > 0 && l.Start > r.To || l.End < r.From {
					return g, -1
				}
				return g, n
			}
			if !(r.To > 0 && l.Start > r.To || l.End < r.From) {
				n++
			}
		}
	}
	return -1, -1
}

// Alive divides r into n equal parts, and returns how many goroutines of a group were alive at some
// time of each part. The group -1 stands for all goroutines.
func (x *Index) Alive(group int, r tracefile.Range, n int) []int {
	changes := make([]int, n+1)
	width := max(r.To-r.From, 1)
	part := func(clock uint64) int {
		if clock <= r.From {
			return 0
		}
		return min(int(float64(clock-r.From)/float64(width)*float64(n)), n-1)
	}
	lanes := x.byStart
	if group >= 0 && group < len(x.groups) {
		lanes = x.groups[group].lanes
	}
	for _, i := range lanes {
		if l := &x.lanes[i]; l.Start <= r.To && l.End >= r.From {
			changes[part(l.Start)]++
			changes[part(l.End)+1]--
		}
	}
	for i := 1; i < n; i++ {
		changes[i] += changes[i-1]
	}
	return changes[:n]
}

// Counts are numbers of a part of the recording's time.
type Counts struct{ Events, Panics uint64 }

// Counts returns the events and panics in each of n equal parts of r. Where a part begins within
// one of the 4,096 slots that the index has, the slot's are divided by time.
func (x *Index) Counts(r tracefile.Range, n int) []Counts {
	events, panics := make([]float64, n), make([]float64, n)
	width := float64(max(r.To-r.From, 1)) / float64(n)
	for i, s := range x.slots {
		if s.events == 0 && s.panics == 0 {
			continue
		}
		begin, end := x.slot(i)
		if end < r.From || begin > r.To {
			continue
		}
		length := float64(end - begin + 1)
		first := max(int((float64(begin)-float64(r.From))/width), 0)
		for k := first; k < n; k++ {
			from, to := float64(r.From)+float64(k)*width, float64(r.From)+float64(k+1)*width
			if from > float64(end) {
				break
			}
			share := (min(to, float64(end)+1) - max(from, float64(begin))) / length
			if share > 0 {
				events[k] += share * float64(s.events)
				panics[k] += share * float64(s.panics)
			}
		}
	}
	list := make([]Counts, n)
	for i := range list {
		list[i] = Counts{uint64(events[i] + 0.5), uint64(panics[i] + 0.5)}
	}
	return list
}

// slot returns the first and the last clock reading of a slot.
func (x *Index) slot(i int) (begin, end uint64) {
	begin = x.Zero + uint64(i)*x.Slot
	return begin, begin + x.Slot - 1
}
