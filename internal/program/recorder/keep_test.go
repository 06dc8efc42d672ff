package recorder

import (
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// clocked returns a region of 1000 bytes at a clock.
func clocked(at uint64) *region {
	return &region{size: 1000, from: at, to: at + 9, events: 100}
}

// held returns the regions that stay, after those that nobody wants are given back.
func held(k *keeping, all []*region) []*region {
	gone := k.choose()
	return slices.DeleteFunc(all, func(g *region) bool { return slices.Contains(gone, g) })
}

// Windows are halved until what stays fits, wherever a test has failed, and whether it has ended.
func TestShrink(t *testing.T) {
	for _, erred := range []uint64{0, 1, 5, 55, 500, 999, 1000} { // 0: it did not; 1000: after all that is written
		for _, ends := range []bool{false, true} {
			k := newKeeping(0)
			k.head, k.tail, k.rest = 30_000, 60_000, 30_000
			k.test(format.TestBegins, "T", 1)
			var all []*region
			for at := uint64(10); at < 1000; at += 10 {
				g := clocked(at)
				all = append(all, g)
				k.add(g)
				if erred > 0 && erred >= at && erred < at+10 || erred == 1 && at == 10 {
					k.test(format.TestErrs, "T", erred)
				}
			}
			if erred == 1000 {
				k.test(format.TestErrs, "T", erred)
			}
			if ends {
				k.test(format.TestFails, "T", 1001)
			}
			all = held(k, all)
			if n := len(all); n < 60 || n > 99 {
				t.Errorf("failed at %d, ended %v: %d regions are kept", erred, ends, n)
			}
			for i, last := 0, len(all); k.shrink(); i++ {
				all = held(k, all)
				if len(all) >= last && last > 1 {
					t.Errorf("failed at %d, ended %v: %d regions are left of %d when the windows are halved", erred, ends, len(all), last)
				}
				if last = len(all); i > 100 {
					t.Fatalf("failed at %d, ended %v: it does not end", erred, ends)
				}
			}
			if len(all) > 1 {
				t.Errorf("failed at %d, ended %v: %d regions are left in the end, want none, or the latest", erred, ends, len(all))
			}
		}
	}
}

// Tests that ran side by side share what both keep: one that ran alone is the first to keep less.
func TestShrinkShares(t *testing.T) {
	for _, ends := range []bool{false, true} {
		k := newKeeping(0)
		k.head, k.tail, k.rest = 100_000, 100_000, 100_000
		var all []*region
		for at := uint64(10); at < 1800; at += 10 {
			switch at {
			case 10:
				k.test(format.TestBegins, "A", at)
				k.test(format.TestBegins, "B", at)
			case 1010:
				k.test(format.TestFails, "A", at-1)
				k.test(format.TestFails, "B", at-1)
				k.test(format.TestBegins, "Alone", at)
			}
			all = append(all, clocked(at))
			k.add(all[len(all)-1])
		}
		if ends {
			k.test(format.TestFails, "Alone", 1801)
		}
		less := 51 // the tail of a test that runs ends within a region
		if ends {
			less = 50
		}
		for _, want := range [][2]int{{100, 79}, {100, less}} {
			both, alone := 0, 0
			for all = held(k, all); both < len(all) && all[both].from < 1010; both++ {
			}
			alone = len(all) - both
			if both != want[0] || alone != want[1] {
				t.Errorf("ended %v: %d regions of both and %d of the one alone are kept, want %d", ends, both, alone, want)
			}
			k.shrink()
		}
	}
}

// What a test lacks that runs long is told a few times, and in the end all of it.
func TestGapsDouble(t *testing.T) {
	k := newKeeping(0)
	k.head, k.tail, k.rest = 3000, 3000, 3000
	k.test(format.TestBegins, "T", 1)
	var said []uint64
	totals := 0
	tell := func(all bool) {
		k.choose()
		for _, g := range k.unsaid(all) {
			if g.Test == 0 {
				totals++
			} else {
				said = append(said, g.Events)
			}
		}
	}
	for at := uint64(10); at <= 100_000; at += 10 {
		k.add(clocked(at))
		tell(false)
	}
	if len(said) != 14 || totals != 14 || said[0] != 100 || said[13] != 100<<13 {
		t.Errorf("while it runs it is told that %d events are missing, and %d times in all how many; want 14 from 100 to %d", said, totals, 100<<13)
	}
	k.test(format.TestErrs, "T", 100_011) // what is missing before is known
	tell(false)
	k.test(format.TestFails, "T", 100_012)
	tell(true)
	const all = 100 * (10_000 - 7) // as 3 and 4 regions stay
	if n := len(said); n != 15 || said[14] != all || k.given != all || totals != 15 {
		t.Errorf("told %d, %d times, of %d; want %d at last", said, totals, k.given, all)
	}
}

// Of two tests that ran side by side one passes: what the other one wants stays, and what nobody does
// is missing in it.
func TestKeepBeside(t *testing.T) {
	k := newKeeping(0)
	k.head, k.tail, k.rest = 3000, 3000, 3000
	k.test(format.TestBegins, "A", 10)
	k.test(format.TestBegins, "B", 50)
	var all []*region
	for at := uint64(0); at < 200; at += 10 {
		g := clocked(at)
		all = append(all, g)
		k.add(g)
	}
	k.test(format.TestPasses, "A", 205)
	k.test(format.TestFails, "B", 207)
	late := clocked(206)
	k.add(late)
	k.add(clocked(220))
	all = append(all, late)
	var got []uint64
	for _, g := range held(k, all) {
		got = append(got, g.from)
	}
	if want := []uint64{50, 60, 70, 160, 170, 180, 190, 206}; !slices.Equal(got, want) {
		t.Fatalf("kept %v, want %v", got, want)
	}
	gaps := k.unsaid(false)
	if len(gaps) != 2 || gaps[0].Test != 50 || gaps[0].From != 80 || gaps[0].To != 159 || gaps[0].Events != 800 || gaps[1].Test != 0 || gaps[1].Events != 1400 {
		t.Errorf("gaps %+v, want 800 events of B from 80 to 159, of 1400 in all", gaps)
	}
}
