package budget

import (
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A counter is a program with one function, at site 1, which is called once in a ns.
type counter struct {
	now       int64
	group     uint32
	counted   uint64
	estimated uint64
	groups    []string // that were chosen
}

func (p *counter) CPU() (int64, bool)                        { return p.now, true }
func (p *counter) Sites() uint32                             { return 2 }
func (p *counter) Counts(counted, timed []uint64)            { counted[1] += p.counted }
func (p *counter) Reserve(int)                               {}
func (p *counter) Estimate(site uint32, more estimate.Guess) { p.estimated += more.Calls }
func (p *counter) Sample(uint64)                             {}
func (p *counter) SampleWaits() bool                         { return false }
func (p *counter) choose(group uint32) {
	p.group = group
	p.groups = append(p.groups, fmt.Sprint(group))
}
func (p *counter) pass(ns int64) {
	p.now += ns
	if p.group == CountAll {
		p.counted += uint64(ns)
	}
}

// TestSampling checks the order of phases: only for functions that nobody counts there is one in which all are counted.
// All calls are counted or estimated, but for those in windows, which are samples.
func TestSampling(t *testing.T) {
	for _, tt := range []struct {
		level uint8
		want  string
	}{{format.LevelOnly, "1 0 2 0"}, {format.LevelSampled, "8 1 0 8 2 0"}} {
		p := &counter{now: 1}
		c := New(0.1, truth, Usage{})
		s := NewSampling(Limit{Share: 0.1, Strict: true}, 1, p, func() int64 { return p.now }, p.choose)
		s.Follow(c, []Change{{1, tt.level}})
		for len(p.groups) < strings.Count(tt.want, " ")+1 {
			p.pass(max(s.Next(), 1))
			s.Turn(1)
		}
		if got := strings.Join(p.groups, " "); got != tt.want || s.Goes() {
			t.Errorf("at level %d the groups are %s, want %s", tt.level, got, tt.want)
		}
		s.Finish()
		// How much counting slows the program down isn't known: from nothing to by half.
		if all, want := float64(p.counted+p.estimated), float64(p.now); tt.level == format.LevelSampled && (all < want*0.9 || all > want*2) {
			t.Errorf("%.0f calls are counted or estimated, want %.0f to twice as many", all, want)
		}
		if s.Stop(); tt.level == format.LevelOnly && p.estimated > 0 {
			t.Errorf("%d calls are estimated, all are counted", p.estimated)
		}
	}
}

// A window that goes on when no function is demoted any more ends, and what comes after the end isn't estimated.
func TestSamplingStops(t *testing.T) {
	p := &counter{now: 1}
	s := NewSampling(Limit{Share: 0.1, Strict: true}, 1, p, func() int64 { return p.now }, p.choose)
	s.Follow(New(0.1, truth, Usage{}), []Change{{1, format.LevelSampled}})
	for p.group != CountAll {
		p.pass(max(s.Next(), 1))
		s.Turn(1)
	}
	s.Finish()
	estimated := p.estimated
	p.pass(s.Next())
	s.Turn(1)
	if p.estimated != estimated {
		t.Errorf("%d calls are estimated after the end", p.estimated-estimated)
	}
	if s.Stop(); p.group != 0 || s.Goes() {
		t.Errorf("group %d is sampled when it has stopped", p.group)
	}
}
