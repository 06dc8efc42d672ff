package gather

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
)

var testFuncs = func() (list []*function.Func) {
	for _, name := range strings.Split("- A B C D", " ") {
		list = append(list, &function.Func{Name: name})
	}
	return list
}()

func testFunction(site uint32) *function.Func {
	if site == 0 || int(site) >= len(testFuncs) {
		return nil
	}
	return testFuncs[site]
}

// records makes a strand's records of text, one each 10 ticks from 100 on. A8 is an enter of A in
// frame 8, a8 its exit, and "a8!" an exit that has not returned. !8 is a panic, ^8 a recovery, /8 a
// Goexit, and %1 an error of the first function. >7 is a go statement that starts goroutine 7, and
// #7 takes ticket 7.
func records(text string) (list []rt.TraceEvent) {
	for i, word := range strings.Fields(text) {
		e := rt.TraceEvent{Clock: 100 + 10*uint64(i)}
		fmt.Sscanf(strings.TrimSuffix(word[1:], "!"), "%d", &e.Value)
		switch c := word[0]; {
		case c == '!':
			e.Kind = rt.GatheredPanic
		case c == '^':
			e.Kind = rt.GatheredRecover
		case c == '/':
			e.Kind = rt.GatheredGoexit
		case c == '>':
			e.Kind = rt.GatheredGo
		case c == '#':
			e.Kind = rt.GatheredTicket
		case c == '%':
			e.Kind, e.Site = rt.GatheredError, uint32(e.Value)
		case c >= 'a':
			e.Kind, e.Site, e.Left = rt.GatheredExit, uint32(c-'a'+1), strings.HasSuffix(word, "!")
		default:
			e.Kind, e.Site = rt.GatheredEnter, uint32(c-'A'+1)
		}
		list = append(list, e)
	}
	return list
}

// written returns events in the same form, with the times of exits that were not recorded.
func written(events []Event) string {
	var words []string
	for _, e := range events {
		word := fmt.Sprint(e.Frame)
		switch e.Kind {
		case format.Enter:
			word = e.Func.Name + word
		case format.Exit:
			word = strings.ToLower(e.Func.Name) + word
			if e.Left {
				word += fmt.Sprint("!@", int(e.At))
			}
		case format.Error:
			word = "%" + e.Func.Name + word
		default:
			word = map[format.Kind]string{format.Panic: "!", format.Recover: "^", format.Goexit: "/"}[e.Kind] + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestDecode(t *testing.T) {
	d := decoder{perTick: 1, now: 1000, wall: time.Unix(10, 0)}
	for _, c := range []struct {
		name, records, want string
	}{
		{"calls", "A1 B2 b2 B2 b2 a1", "A1 B2 b2 B2 b2 a1"},
		{"a panic recovered by a caller", "A1 B2 C3 !4 ^2 b2 a1", "A1 B2 C3 !4 c3!@40 ^2 b2 a1"},
		{"a panic that leaves all", "A2 B3 !4 ^1", "A2 B3 !4 b3!@30 a2!@30 ^1"},
		{"exits that have not returned", "A1 B2 /3 b2! a1!", "A1 B2 /3 b2!@30 a1!@40"},
		{"a call in the place of one that was left", "A1 B2 C3 B2 b2 a1", "A1 B2 C3 c3!@30 b2!@30 B2 b2 a1"},
		{"an inlined call", "A1 B1 b1 B1 a1", "A1 B1 b1 B1 b1!@40 a1"},
		{"inlined calls that are over after a recovery", "A1 B2 C2 !3 ^2 b2 a1", "A1 B2 C2 !3 c2!@40 ^2 b2 a1"},
		{"an exit is missing", "A1 B2 a1", "A1 B2 b2!@20 a1"},
		{"an enter is missing", "A1 c3 B2 d4 b2 a1", "A1 B2 b2 a1"},
		{"errors", "A1 B2 %2 b2 %3 %1 a1", "A1 B2 %B2 b2 %A1 a1"},
		{"open calls end with the root", "A1 B2 C3 c3", "A1 B2 C3 c3 b2!@200 a1!@200"},
		{"none", "", ""},
	} {
		got := d.trace(&rt.Trace{Key: 3, Site: 1, Ended: 300, Strands: []rt.Strand{{Goroutine: 5, Parent: 1, Started: 100, Records: records(c.records)}}}, testFunction)
		if text := written(got.Strands[0].Events); text != c.want {
			t.Errorf("%s: %s gives\n\t%s, want\n\t%s", c.name, c.records, text, c.want)
		}
		if got.Key != 3 || got.Root != testFuncs[1] || got.Goroutine != 5 || got.Parent != 1 || got.Duration != 200 ||
			!got.Start.Equal(time.Unix(10, -900)) || got.Failed || got.Truncated {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestDecodeStrands(t *testing.T) {
	d := decoder{perTick: 2}
	got := d.trace(&rt.Trace{Site: 1, Ended: 200, Lost: 4, Flags: rt.TracePanicked, Strands: []rt.Strand{
		{Goroutine: 5, Started: 100, Records: records("A1 B2 >6 b2 >7 a1")},
		{Goroutine: 6, Parent: 5, Started: 120, Running: true, Records: records("C1 D2 >8 #7 d2 #9")},
		{Goroutine: 7, Parent: 5, Started: 140},
		{Goroutine: 8, Parent: 6, Started: 90},
		{Goroutine: 9, Parent: 5, Started: 150}, // there was no room for the record of the go statement
		{Goroutine: 4, Parent: 6, Started: 140, Ticket: 7, Handed: true},
		{Goroutine: 4, Parent: 6, Started: 160, Ticket: 9, Handed: true},
	}}, testFunction)
	if !got.Failed || !got.Panicked || !got.Truncated || got.Lost != 4 {
		t.Errorf("%+v", got)
	}
	var list []string
	for _, s := range got.Strands {
		by := "none"
		if s.By != nil {
			by = s.By.Name
		}
		text := written(s.Events)
		if s.Handed {
			text = "handed " + text
		}
		list = append(list, fmt.Sprintf("%d of %d by %s%d at %d, detached %v: %s", s.Goroutine, s.Parent, by, s.Frame, s.Started, s.Detached, text))
	}
	want := []string{
		"5 of 0 by none0 at 0, detached false: A1 B2 b2 a1",
		"6 of 5 by B2 at 40, detached true: C1 D2 d2",
		"7 of 5 by A1 at 80, detached false: ",
		"8 of 6 by D2 at 0, detached false: ",
		"9 of 5 by none0 at 100, detached false: ",
		"4 of 6 by D2 at 80, detached false: handed ",
		"4 of 6 by C1 at 120, detached false: handed ",
	}
	if a, b := strings.Join(list, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

// Whatever the records, enters and exits pair, and times do not go back.
func TestDecodeAnything(t *testing.T) {
	r := seed.Rand(t, 1)
	d := decoder{perTick: 1}
	for i := 0; i < 2000; i++ {
		var in []rt.TraceEvent
		for n := r.Intn(40); n > 0; n-- {
			in = append(in, rt.TraceEvent{Clock: uint64(r.Intn(500)), Value: uint64(r.Intn(6)), Site: uint32(r.Intn(5)), Kind: uint8(r.Intn(8)), Left: r.Intn(2) == 0})
		}
		running := r.Intn(2) == 0
		got := d.trace(&rt.Trace{Site: 1, Ended: 300, Strands: []rt.Strand{{Started: 100}, {Goroutine: 2, Running: running, Records: in}}}, testFunction)
		var open []Event
		var last time.Duration
		for _, e := range got.Strands[1].Events {
			if e.At < last {
				t.Fatalf("%+v: at %d after %d", in, e.At, last)
			}
			last = e.At
			switch e.Kind {
			case format.Enter:
				open = append(open, e)
			case format.Exit:
				if len(open) == 0 || open[len(open)-1].Func != e.Func || open[len(open)-1].Frame != e.Frame {
					t.Fatalf("%+v: an exit of %v", in, e.Func)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 && !running {
			t.Fatalf("%+v: %d calls are open", in, len(open))
		}
	}
}

// Values stay with their events, and go with those that are left out.
func TestDecodeValues(t *testing.T) {
	d := decoder{perTick: 1}
	in := records("A1 c3 B2 b2 a1")
	var values []byte
	for i := range in {
		in[i].Size = uint16(i + 1)
		for n := 0; n <= i; n++ {
			values = append(values, byte('0'+i))
		}
	}
	got := d.trace(&rt.Trace{Site: 1, Ended: 300, Strands: []rt.Strand{{Started: 100, Records: in, Values: values}}}, testFunction)
	s := got.Strands[0]
	var text string
	rest := s.Values
	for _, e := range s.Events {
		text += fmt.Sprintf("%s ", rest[:e.Size])
		rest = rest[e.Size:]
	}
	if want := "0 222 3333 44444 "; text != want || len(rest) > 0 { // c3 has no beginning
		t.Errorf("%s and %q, want %s", text, rest, want)
	}
}
