// Package runtime, as waymark adds to it: arguments and results of calls that are gathered.
//
// They lie in the strand, behind the record of their event, in the encoding of recordings. Descriptions of their
// types are those of the recording that goes on; without one they lie in memory of their own. When a recording begins
// or ends, all descriptions are forgotten, and with them the values of traces that were gathered before.
//
// Values have a budget: of the time since its window began a P takes no more than a share for them.

package runtime

import "unsafe"

const (
	wmMostGathered = 1 << 10 // bytes of an event's values

	wmValuesShare  = 20        // one in so many ticks may go to values
	wmValuesAhead  = 1_000_000 // ns that a P may take in advance: types are described when they are first met
	wmValuesWindow = 1 << 31   // ticks after which a new window begins: what was not taken is forfeited
)

// A wmValuesOfP is what a P has taken for values of calls that are gathered.
type wmValuesOfP struct {
	from  uint64 // clock
	taken uint64 // ticks since then
}

// wmValuesTicks is wmValuesAhead in ticks.
var wmValuesTicks uint64

// WMGatherValues has values written as package format says, unless a recording or a collector has said so already: see
// WMCapture. It is called before sites want WMValues.
func WMGatherValues(depth, bytes int, redact []string) {
	wmMeetTypes(false)
	wmValuesTicks = wmTicksOf(wmValuesAhead, wmRate())
	if wmCaptured.bytes == 0 {
		WMCapture(false, false, false, depth, bytes, redact)
	}
}

// valued reports whether the values of the call are gathered, if the call is. Of calls that are recorded, too,
// they are unless they are not recorded.
func (f WMFrame) valued() bool { return (f&wmFrameRecorded != 0) == (f&wmFrameUnvalued == 0) }

// gathered returns v if the values of the call f are gathered, else nil.
func (v *wmValues) gathered(f WMFrame) *wmValues {
	if v == nil || v.n == 0 || !f.valued() {
		return nil
	}
	return v
}

// arguments gathers the arguments of the call that begins.
func (s *wmStrand) arguments(gp *g, v *wmValues) {
	if s.trace.gatherer().args {
		s.addValues(gp, v)
	}
}

// results gathers the results of the call that ends.
func (s *wmStrand) results(gp *g, v *wmValues) {
	if s.trace.gatherer().results {
		s.addValues(gp, v)
	}
}

// affords reports whether the P may write values now.
func (o *wmValuesOfP) affords(now uint64) bool {
	if o.from == 0 || now-o.from >= wmValuesWindow {
		o.from, o.taken = now, 0
	}
	return o.taken <= (now-o.from)/wmValuesShare+wmValuesTicks
}

// addValues writes the values of the event of the strand's latest record. The caller keeps the M.
func (s *wmStrand) addValues(gp *g, v *wmValues) {
	if v == nil || s.few || gp.hides() {
		return
	}
	pp, now := getg().m.p.ptr(), wmClock()
	own := &pp.wm.traced
	if !own.affords(now) {
		pp.wm.traces[s.trace.of].unvalued++
		return
	}
	pos := gp.wm.gather
	if pos == wmGatherSlow {
		pos = s.pos
	}
	space := min(v.space(), wmMostGathered)
	if room := -pos & (wmBlockSize - 1); room < wmRecordSize+space {
		// The rest of the block stays empty.
		if s.trace.over.Load() != 0 {
			return
		}
		if pos&(wmBlockSize-1) != 0 {
			s.trace.valued.Add(int64(room / wmRecordSize))
			s.goOn(gp, pos+room)
		}
		if pos = s.extend(gp, true, false); pos == 0 {
			return
		}
		s.goOn(gp, pos)
	}
	at := pos + wmRecordSize
	end := min(pos&^(wmBlockSize-1)+wmBlockSize, at+space) // a block of the last calls of a trace may be smaller
	if v.words != nil {
		var list [4]eface
		ints := wmIntsOf(&list, v.words, v.kinds)
		v = &ints
	}
	// The space has no bytes of values beyond the last one: they would be taken for records.
	next := v.write(at, end)
	if next == at { // there was no room for any, nor is a record of none one of values
		return
	}
	memclrNoHeapPointers(unsafe.Pointer(next), end-next)
	r := (*wmRecord)(unsafe.Pointer(pos))
	r.word = wmGatherValues | uint64(next-at)
	r.commit(now)
	end = alignUp(next, wmRecordSize)
	s.trace.valued.Add(int64((end - pos) / wmRecordSize))
	s.goOn(gp, end)
	own.taken += wmClock() - now
}

// write writes the values at the address at, and returns the address behind them. end is that of the space.
//
//go:nosplit
func (v *wmValues) write(at, end uintptr) uintptr {
	for i := 0; i < v.n; i++ {
		at = wmWrite(at, end, (*eface)(add(v.list, uintptr(i)*unsafe.Sizeof(eface{}))), v.pointers)
	}
	return at
}
