package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/transcript"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// TestCounted checks what is printed of functions whose calls were counted at times: the calls that
// took long, where they end.
func TestCounted(t *testing.T) {
	events, err := calltreetest.Events("A10 +1000 C30 +30000 c30 +90000 ~B20,110000 +500 ~B20,200 a10 .")
	if err != nil {
		t.Fatal(err)
	}
	var sites []format.Site
	for _, name := range []string{"main.main", "main.parse", "main.read"} {
		sites = append(sites, format.Site{Name: name, File: "main.go", Line: 1})
	}
	r := calltreetest.Recording{
		Events: events, End: events[len(events)-1].Clock, Budget: "3%",
		Tables: []calltreetest.Table{{Package: "example.com/m", Sites: sites}},
		Counts: []calltreetest.Counts{{Clock: 1, Sites: []format.Count{{Site: 2, Level: format.LevelCounted, Calls: 12}}}},
	}
	read := func(s *function.Func) bool { return s.Name == "main.read" }
	for _, tt := range []struct {
		name   string
		filter recording.Filter
		want   []string // lines: time, duration and what follows
	}{
		{"all", recording.Filter{}, []string{
			"0.000000001s main.main() {",
			"0.000001002s 30.001 us main.read();",
			"0.000121004s 110.000 us main.parse(); /* counted, ends here */",
			"0.000121505s 200 ns main.parse(); /* counted, ends here */",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"min", recording.Filter{Min: 100 * time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000121004s 110.000 us main.parse(); /* counted, ends here */",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"only others", recording.Filter{Show: read}, []string{"0.000001002s 30.001 us main.read();"}},
		{"callers", recording.Filter{Callers: func(s *function.Func) bool { return s.Name == "main.parse" }, Min: time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000121004s 110.000 us main.parse(); /* counted, ends here */",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"window", recording.Filter{From: 50 * time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000121004s 110.000 us main.parse(); /* counted, ends here */",
			"0.000121505s 200 ns main.parse(); /* counted, ends here */",
			"0.000121506s 121.505 us } /* main.main */",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, err := r.Open()
			if err != nil {
				t.Fatal(err)
			}
			set, err := tracefile.Join([]*tracefile.File{file})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			done, err := Write(&b, set, &tt.filter, transcript.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
				line = strings.Replace(line, "[        1]", "", 1)
				got = append(got, strings.Join(strings.Fields(line), " "))
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
				t.Errorf(" got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
			if tt.filter.From == 0 {
				lines := strings.Join(recording.Lacks(done.Read), "\n")
				if want := "~ 1 function was only counted at times, to keep to the budget of 3%: 10 calls"; !strings.Contains(lines, want) {
					t.Errorf("lacks %q, want %q", lines, want)
				}
			}
		})
	}
}
