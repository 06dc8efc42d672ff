package calltree

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/tracefile"
)

func (o *Offs) String() string {
	if o == nil {
		return "never"
	}
	return fmt.Sprintf("%v, itself %v", o.Total, o.Self)
}

// withWaits has goroutines wait between some of their events. Some of the waits lack their beginnings,
// as where there was no room for them, and some their ends.
func withWaits(r *rand.Rand, events []tracefile.Event) []tracefile.Event {
	out := make([]tracefile.Event, 0, 2*len(events))
	before := make(map[uint64]tracefile.Event) // by goroutine
	parked := make(map[uint64]uint8)           // the reason plus 1
	for _, ev := range events {
		last, ok := before[ev.Goroutine]
		if reason := parked[ev.Goroutine]; ok && reason > 0 {
			total := ev.Clock - min(last.Clock, ev.Clock)
			w := format.Wait{Reason: reason - 1, Total: total + r.Uint64N(2), Runnable: r.Uint64N(total + 1), Waker: r.Uint64N(3)}
			if r.IntN(20) > 0 {
				out = append(out, tracefile.Event{
					Kind: tracefile.Waited, Clock: ev.Clock, Goroutine: ev.Goroutine, Stream: ev.Stream, Value: w.Total, Data: format.AppendWait(nil, w),
				})
			}
		}
		out = append(out, ev)
		delete(parked, ev.Goroutine)
		if before[ev.Goroutine] = ev; ev.Kind == tracefile.End {
			delete(before, ev.Goroutine)
		} else if r.IntN(4) == 0 && ev.Kind != tracefile.Error {
			reason := uint8(r.IntN(format.WaitReasons))
			parked[ev.Goroutine] = reason + 1
			if r.IntN(20) > 0 {
				out = append(out, tracefile.Event{Kind: tracefile.Parked, Clock: ev.Clock, Goroutine: ev.Goroutine, Stream: ev.Stream, Value: uint64(reason)})
			}
		}
	}
	return out
}

// The time in which a goroutine did not run is that of its innermost call, and of its callers.
func TestOff(t *testing.T) {
	events, err := calltreetest.Events("A10 +8 B20 +9 b20 +9 C20 +8 c20 +8 a10 D10")
	if err != nil {
		t.Fatal(err)
	}
	wait := func(i int, clock, total, runnable uint64, reason tracefile.WaitReason) {
		ev := events[i] // the next one
		ev.Kind, ev.Site, ev.Token, ev.Clock, ev.Value = tracefile.Waited, 0, 0, clock, total
		ev.Data = format.AppendWait(nil, format.Wait{Reason: uint8(reason), Total: total, Runnable: runnable})
		events = append(events[:i], append([]tracefile.Event{ev}, events[i:]...)...)
	}
	// A is from 1 to 49, B from 10 to 20, C from 30 to 39, D from 50 on.
	wait(5, 45, 5, 1, tracefile.WaitLock)    // A's own, 4 and 1
	wait(4, 35, 100, 2, tracefile.WaitSleep) // of C, which it can't have lasted longer than: 3 and 2
	wait(2, 15, 3, 3, tracefile.WaitNone)    // of B
	wait(1, 8, 2, 0, tracefile.WaitChannel)  // A's own
	parked := tracefile.Event{Kind: tracefile.Parked, Clock: 52, Goroutine: 1, Value: uint64(tracefile.WaitNetwork)}
	events = append(events, parked)

	b := New(Options{Tree: true, Goroutines: true})
	for i := range events {
		b.Add(&events[i])
	}
	result := b.Close(60)
	off := func(runnable uint64, waiting map[tracefile.WaitReason]uint64) Off {
		o := Off{Runnable: runnable}
		for reason, n := range waiting {
			o.Waiting[reason] = n
		}
		return o
	}
	type reasons = map[tracefile.WaitReason]uint64
	want := map[uint32]Offs{
		1: {off(6, reasons{tracefile.WaitLock: 4, tracefile.WaitSleep: 3, tracefile.WaitChannel: 2}), off(1, reasons{tracefile.WaitLock: 4, tracefile.WaitChannel: 2})},
		2: {off(3, nil), off(3, nil)},
		3: {off(2, reasons{tracefile.WaitSleep: 3}), off(2, reasons{tracefile.WaitSleep: 3})},
		4: {off(0, reasons{tracefile.WaitNetwork: 8}), off(0, reasons{tracefile.WaitNetwork: 8})},
	}
	for _, row := range result.Rows {
		if row.Off == nil || *row.Off != want[row.Key] {
			t.Errorf("function %d was off %v; want %v", row.Key, row.Off, want[row.Key])
		}
		if row.Off != nil && (row.Off.Total.Sum() > row.Total || row.Off.Self.Sum() > row.Self) {
			t.Errorf("function %d was off %d of %d, itself %d of %d", row.Key, row.Off.Total.Sum(), row.Total, row.Off.Self.Sum(), row.Self)
		}
	}
	for _, n := range result.Tree {
		if n.Off == nil || *n.Off != want[n.Key] {
			t.Errorf("the node of function %d was off %v; want %v", n.Key, n.Off, want[n.Key])
		}
	}
	if g := result.Goroutines[0]; g.Off == nil || g.Off.Total.Sum() != 6+9+8 {
		t.Errorf("the goroutine was off %v", g.Off)
	}
}
