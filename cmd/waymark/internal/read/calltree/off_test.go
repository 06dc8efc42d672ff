package calltree

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
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
			w := format.Wait{Reason: format.WaitReason(reason - 1), Total: total + r.Uint64N(2), Runnable: r.Uint64N(total + 1), Waker: r.Uint64N(3)}
			waited := func(w format.Wait) {
				out = append(out, tracefile.Event{
					Kind: tracefile.Waited, Clock: ev.Clock, Goroutine: ev.Goroutine, Stream: ev.Stream, Value: w.Total, Data: format.AppendWait(nil, w),
				})
			}
			switch r.IntN(20) {
			case 0:
			case 1, 2: // there was no room for it, and then the goroutine waited for that
				w.Ago, w.More = r.Uint64N(total+1), r.Uint64N(2)
				waited(w)
				waited(format.Wait{Reason: format.WaitTracing, Total: r.Uint64N(w.Ago + 2)})
			default:
				waited(w)
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

// A wait for which there was no room is said later, and before the one for room, which began when it was over.
func TestOffLate(t *testing.T) {
	// A runs from 10 to 30, waits for a channel until 50, being ready from 45 on, and for room from 60 to 70.
	events, err := calltreetest.Events("A10 +58 =2,20,5,0,20,2 +0 =11,10,0,0 a10")
	if err != nil {
		t.Fatal(err)
	}
	enter, late, room, exit := &events[0], &events[1], &events[2], &events[3]
	enter.Clock, late.Clock, room.Clock, exit.Clock = 10, 70, 70, 100
	var told []string
	b := New(Options{OnWait: func(c *Call) { told = append(told, fmt.Sprint(c.Wait.Reason, c.Start, c.Wait.Ready, c.End)) }})
	for i := range events {
		b.Add(&events[i])
	}
	want := Off{Runnable: 5}
	want.Waiting[tracefile.WaitChannel], want.Waiting[tracefile.WaitTracing] = 15, 10
	r := b.Close(100)
	if row := r.Rows[0]; row.Off == nil || row.Off.Self != want {
		t.Errorf("was off %v; want %v", row.Off, want)
	}
	if r.Mixed != 3 {
		t.Errorf("%d waits are one record; want 3", r.Mixed)
	}
	if want := "[channel 30 45 50 tracing 60 70 70]"; fmt.Sprint(told) != want {
		t.Errorf("told %v; want %s", told, want)
	}
}

// The time in which a goroutine did not run is that of its innermost call, and of its callers.
func TestOff(t *testing.T) {
	// C's wait can't have begun before C: it is of 2 ticks for sleep and of 2 in which C was ready. D does
	// not run to the end, 60.
	events, err := calltreetest.Events("A10 +5 =2,2,0,0 B20 +3 =0,3,3,0 b20 C20 +3 =7,100,2,9 c20 +5 =4,5,1,0 a10 D10 +1 _5")
	if err != nil {
		t.Fatal(err)
	}
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
		1: {off(6, reasons{tracefile.WaitLock: 4, tracefile.WaitSleep: 2, tracefile.WaitChannel: 2}), off(1, reasons{tracefile.WaitLock: 4, tracefile.WaitChannel: 2})},
		2: {off(3, nil), off(3, nil)},
		3: {off(2, reasons{tracefile.WaitSleep: 2}), off(2, reasons{tracefile.WaitSleep: 2})},
		4: {off(0, reasons{tracefile.WaitNetwork: 31}), off(0, reasons{tracefile.WaitNetwork: 31})},
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
	if g := result.Goroutines[0]; g.Off == nil || g.Off.Total.Sum() != 14+31 {
		t.Errorf("the goroutine was off %v", g.Off)
	}
}

// That a new goroutine was ready is told from the window's beginning on, and not where calls are selected, as it
// is of none. A goroutine whose start isn't among the events is no new one.
func TestOffBeforeFirstCall(t *testing.T) {
	for _, c := range []struct {
		name, text string
		from       uint64
		s          *Selection
		want       string
	}{
		{"new", "+100 @2 <1 =0,30,30,1 A10 +5 a10", 0, nil, "none 0 71 101"},
		{"in a window", "+100 @2 <1 =0,30,30,1 A10 +5 a10", 90, nil, "none 0 90 101"},
		{"selected", "+100 @2 <1 =0,30,30,1 A10 +5 =2,3,1,1 a10", 0, &Selection{Min: 1}, "channel 1 106 109"},
		{"old", "+100 @2 =0,30,30,1 A10 +5 a10", 0, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := calltreetest.Events(c.text)
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			o := Options{From: c.from}
			onWait := func(c *Call) { told = append(told, fmt.Sprint(c.Wait.Reason, " ", c.Depth, " ", c.Start, " ", c.End)) }
			if o.OnWait = onWait; c.s != nil {
				o.OnEnter, o.OnCall, o.OnWait = c.s.Of(func(*Call) {}, func(*Call) {}, onWait)
			}
			b := New(o)
			for i := range events {
				if i > 0 && events[i-1].Kind == tracefile.Start { // it says that with its first event
					events[i].Clock = events[i-1].Clock
				}
				b.Add(&events[i])
			}
			b.Close(200)
			if got := strings.Join(told, "; "); got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}
