package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// TestCounted checks what is printed of functions whose calls were counted at times: the calls that
// took long, around what they called.
func TestCounted(t *testing.T) {
	events, err := calltreetest.Events("A10 +1000 C30 +30000 c30 +90000 ~B20,120500 +500 ~B20,200 a10 .")
	if err != nil {
		t.Fatal(err)
	}
	r := calltreetest.Recording{
		Events: events, End: events[len(events)-1].Clock, Budget: "3%",
		Tables: program("main.main", "main.parse", "main.read"),
		Counts: []calltreetest.Counts{{Clock: 1, Sites: []format.Count{{Site: 2, Level: format.LevelCounted, Calls: 12}}}},
	}
	named := func(name string) func(*function.Func) bool {
		return func(s *function.Func) bool { return s.Name == name }
	}
	for _, tt := range []struct {
		name   string
		filter recording.Filter
		want   []string // see compareLines
	}{
		{"all", recording.Filter{}, []string{
			"0.000000001s main.main() {",
			"0.000000504s main.parse() {",
			"0.000001002s 30.001 us main.read();",
			"0.000121004s 120.500 us } /* main.parse */",
			"0.000121305s 200 ns main.parse();",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"min", recording.Filter{Min: 100 * time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000000504s 120.500 us main.parse();",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"only others", recording.Filter{Show: named("main.read")}, []string{"0.000001002s 30.001 us main.read();"}},
		{"callers", recording.Filter{Callers: named("main.parse"), Min: time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000000504s 120.500 us main.parse();",
			"0.000121506s 121.505 us } /* main.main */",
		}},
		{"from within a counted call", recording.Filter{From: 50 * time.Microsecond}, []string{
			"0.000000001s main.main() {",
			"0.000121004s 120.500 us main.parse(); /* counted, ends here */",
			"0.000121305s 200 ns main.parse();",
			"0.000121506s 121.505 us } /* main.main */",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lacks := compareLines(t, r, tt.filter, Options{}, tt.want)
			const want = "≈ 1 function was only counted at times, to keep to the budget of 3%: for 10 calls times"
			if tt.filter.From == 0 && !strings.Contains(lacks, want) {
				t.Errorf("lacks %q, want %q", lacks, want)
			}
		})
	}
}
