package table

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var rows = []Calls{
	{Name: "shop/loadgen.run", Calls: 4, Open: 1, Total: 90 * time.Second, Self: time.Second, Min: 3, Avg: 22 * time.Second, Max: 30 * time.Second},
	{Name: "httpapi.(*api).accept", Calls: 1, Open: 1, Total: 80 * time.Second, Self: 80 * time.Second, Min: 80 * time.Second, Avg: 80 * time.Second, Max: 80 * time.Second},
	{Name: "cache.(*LRU[...]).GetOrLoad", Calls: 34450, Total: 1254 * time.Millisecond, Self: 505478 * time.Microsecond, Min: 70, Avg: 36389, Max: 12441000},
}

func write(t *testing.T, tab *Table, s Style) string {
	t.Helper()
	var b strings.Builder
	if err := tab.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTimed(t *testing.T) {
	const want = `  Total time   Self time  Calls    Min        Avg        Max  Panics  Errors  Function
  ----------  ----------  -----  -----  ---------  ---------  ------  ------  ----------------------------
    1m30.0s     1.000 s       4   3 ns  22.000 s   30.000 s        -       2  shop/loadgen.run (1 open)
    1m20.0s     1m20.0s       1   open       open       open       -       -  httpapi.(*api).accept (open)
    1.254 s   505.478 ms  34450  70 ns  36.389 us  12.441 ms       -       -  cache.(*LRU[...]).GetOrLoad
`
	failing := slices.Clone(rows)
	failing[0].Errors = 2
	if got := write(t, Timed("Function", failing), Style{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// There may be nothing to show.
func TestEmpty(t *testing.T) {
	for _, tab := range []*Table{{}, {Columns: []Column{{Head: "Function"}}}, Timed("Function", nil)} {
		for _, width := range []int{0, 1, 80} {
			got := write(t, tab, Style{Width: width})
			if lines := strings.Count(got, "\n"); len(tab.Columns) == 0 && got != "" || len(tab.Columns) > 0 && lines < 2 {
				t.Errorf("%d columns in a width of %d are\n%q", len(tab.Columns), width, got)
			}
		}
	}
}

// Rows may be made as they are needed.
func TestStream(t *testing.T) {
	tab := Timed("Function", rows)
	want := write(t, tab, Style{Width: 80})
	made := tab.Rows
	tab.Rows, tab.Stream = nil, func(row func([]Cell)) {
		for _, r := range made {
			row(r)
		}
	}
	if got := write(t, tab, Style{Width: 80}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Where a terminal is narrow, columns go before names do, and of names the beginning.
func TestWidth(t *testing.T) {
	for _, width := range []int{200, 110, 100, 80, 60, 40} {
		out := write(t, Timed("Function", rows), Style{Width: width})
		for _, line := range strings.Split(out, "\n") {
			if n := utf8.RuneCountInString(line); n > max(width, 58) { // the numbers that stay and the note
				t.Errorf("a width of %d: %d columns in %q, want %d at most", width, n, line, max(width, 58))
			}
		}
		if !strings.Contains(out, "rLoad\n") || !strings.Contains(out, "(open)\n") {
			t.Errorf("a width of %d: got\n%s\nwant names with their ends", width, out)
		}
		if strings.Contains(out, "Min") == (width <= 80) && !strings.Contains(out, "columns have no room:") {
			t.Errorf("a width of %d: got\n%s\nwant Min, or a note about columns without room", width, out)
		}
	}
	const want = `  Total time   Self time  Calls        Avg        Max  Function
  ----------  ----------  -----  ---------  ---------  -------------------------
    1m30.0s     1.000 s       4  22.000 s   30.000 s   shop/loadgen.run (1 open)
    1m20.0s     1m20.0s       1       open       open  …api.(*api).accept (open)
    1.254 s   505.478 ms  34450  36.389 us  12.441 ms  …he.(*LRU[...]).GetOrLoad
  (80 columns have no room: Panics, Errors, Min)
`
	if out := write(t, Timed("Function", rows), Style{Width: 80}); out != want {
		t.Errorf("80 columns: got\n%s\nwant\n%s", out, want)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		name string
		room int
		want string
	}{
		{"example.com/p.F", 10, "…e.com/p.F"},
		{"    p.Function", 10, "    …ction"},
		{"            p.F", 10, "      …p.F"},
		{"                p.Function", 10, "     …tion"},
	} {
		if got := cut(tt.name, tt.room); got != tt.want || utf8.RuneCountInString(got) > tt.room {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.name, tt.room, got, tt.want)
		}
	}
}

// TestCutEnds has a last column whose texts say most at their beginnings.
func TestCutEnds(t *testing.T) {
	tab := Table{Columns: []Column{{Head: "Calls", Right: true}, {Head: "Root"}}, CutEnds: true}
	tab.Rows = [][]Cell{{Count(1), {Text: "main.handle(id=12345, verbose=true)"}}, {Count(2), {Text: "main.handle(id=1)"}}}
	const want = `  Calls  Root
  -----  ---------------------
      1  main.handle(id=12345…
      2  main.handle(id=1)
`
	if out := write(t, &tab, Style{Width: 30}); out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
