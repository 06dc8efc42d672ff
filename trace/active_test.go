package trace

import (
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/gather"
)

func TestActive(t *testing.T) {
	f := &fake{list: []gather.Active{
		{Root: &Func{Name: "b"}, Goroutine: 8, Start: epoch.Add(time.Second), Calls: 1, Goroutines: 1},
		{Root: &Func{Name: "a"}, Goroutine: 7, Parent: 1, Start: epoch, Calls: 5, Goroutines: 2, Lost: 3},
	}}
	c := begun(t, f, Options{})
	c.began = epoch.UnixNano() - int64(time.Second)
	got := c.Active()
	if len(got) != 2 || got[0].Root.Name != "a" || got[1].Key != "8-2000000000" {
		t.Fatalf("%+v", got)
	}
	want := Active{Key: "7-1000000000", Root: got[0].Root, Start: epoch, Goroutine: 7, Parent: 1, Calls: 5, Goroutines: 2, Lost: 3}
	if got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
}

// Work that is handed to a goroutine is below the call that did so, each time.
func TestHanded(t *testing.T) {
	g := gathered(t, "1: +root 10 +submit 20 -submit 30 +submit 40 -submit 100 -root", "5<1@15 submit: 16 +job 18 -job", "5<1@35 submit: 36 +job 39 -job",
		"6<5@17 job: 19 +late 20 -late", "7<1@12 submit:", "8<7@13 none: 14 +deep 15 -deep")
	g.Strands[1].Handed, g.Strands[2].Handed = true, true
	tr := newTrace(g, epoch.UnixNano())
	if tr.Goroutines != 5 {
		t.Errorf("%d goroutines, want 5", tr.Goroutines)
	}
	root := tr.Call()
	first, second := root.Calls[0], root.Calls[1]
	if len(first.Calls) != 2 || len(second.Calls) != 1 {
		t.Fatalf("%d and %d calls are handed on in\n%s", len(first.Calls), len(second.Calls), tr)
	}
	deep, job := first.Calls[0], first.Calls[1]
	if deep.Func.Name != "deep" || deep.Handed || !job.Handed || !job.Go || !second.Calls[0].Handed || job.Calls[0].Handed || !job.Calls[0].Go {
		t.Errorf("%+v, %+v", deep, job)
	}
	keys := make(map[string]bool)
	taken := make(map[string]bool)
	for i := range tr.strands {
		keys[tr.element(&tr.strands[i], i == 0, make(map[uint64]string), taken).Key] = true
	}
	if len(keys) != 6 {
		t.Errorf("keys %v, want 6", keys)
	}
}

// Outside of traces, and in a program that plain Go has built, work is just done.
func TestHandoff(t *testing.T) {
	n := 0
	NewHandoff().Do(func() { n++ })
	Handoff{}.Do(func() { n++ })
	if n != 2 {
		t.Errorf("called %d times, want 2", n)
	}
}
