package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	for _, c := range []struct {
		list []float64
		p    int
		want float64
	}{
		{nil, 50, 0}, {[]float64{7}, 99, 7}, {[]float64{3, 1, 2}, 50, 2}, {[]float64{4, 3, 1, 2}, 50, 3},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 99, 11}, {[]float64{2, 1}, 100, 2},
	} {
		if got := Percentile(c.list, c.p); got != c.want {
			t.Errorf("Percentile(%v, %d) = %g, want %g", c.list, c.p, got, c.want)
		}
	}
}

// TestRound counts the calls that a round makes, and looks whether what it says fits.
func TestRound(t *testing.T) {
	var plain, traced int
	s := Shape{
		Name: "shape", NS: 100, Per: 10,
		Plain:  func(n int) { plain += n },
		Traced: func(n int) { traced += n; time.Sleep(time.Microsecond) },
	}
	for _, apart := range []bool{false, true} {
		plain, traced = 0, 0
		r := Turns{Count: 3, Length: 5500 * time.Nanosecond, Apart: apart}.Round("rung", s)
		if want := 4 * 50; traced != want || r.Events != uint64(2*want) {
			t.Errorf("apart %v: %d traced calls, %d events, want %d, twice as many", apart, traced, r.Events, want)
		}
		if plain < 4*50 {
			t.Errorf("apart %v: %d plain calls, want 200 or more", apart, plain)
		}
		if r.Rung != "rung" || r.Shape != "shape" || r.Floor <= 0 || r.Traced <= 0 || r.Allocs == nil {
			t.Errorf("apart %v: %+v: want names, floor, time and allocations", apart, r)
		}
	}
}

func TestReadPrint(t *testing.T) {
	n := uint64(3)
	list := []Result{{Rung: "a", Shape: "b", Over: 1.5, Lost: &n}, {Rung: "c"}}
	var b strings.Builder
	b.WriteString("a line of the tracer's\n\n")
	if err := Print(&b, list...); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(b.String()))
	if diff := cmp.Diff(list, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "no brace\n", "{bad\n"} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("Read(%q): no error", bad)
		}
	}
}

// TestRotate: each round begins with another.
func TestRotate(t *testing.T) {
	var got []string
	for round := range 4 {
		got = append(got, strings.Join(Rotate([]string{"a", "b", "c"}, round), ""))
	}
	if diff := cmp.Diff([]string{"abc", "bca", "cab", "abc"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
