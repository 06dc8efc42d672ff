package replay

import (
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
)

// TestWaiting checks the lines of goroutines that don't run, and which calls they are shown in.
func TestWaiting(t *testing.T) {
	events, err := calltreetest.Events("A10 +1000 =2,900,100,7 B20 +50 =0,30,30,0 b20 a10 C10 +5 _5")
	if err != nil {
		t.Fatal(err)
	}
	r := calltreetest.Recording{
		Events: events, End: events[len(events)-1].Clock + 200, Waiting: true,
		Tables: program("main.main", "main.read", "main.wait"),
	}
	for _, tt := range []struct {
		name   string
		filter recording.Filter
		off    bool
		want   []string // see compareLines
	}{
		{"all", recording.Filter{}, false, []string{
			"0.000000001s main.main() {",
			"0.000000102s 900 ns // waited for channel, woken by 7, ready for 100 ns",
			"0.000001003s main.read() {",
			"0.000001024s 30 ns // ready for 30 ns",
			"0.000001055s 52 ns } /* main.read */",
			"0.000001056s 1.055 us } /* main.main */",
			"0.000001057s main.wait() {",
			"0.000001063s 200 ns // waited for network, not ended",
			"0.000001263s 206 ns } /* main.wait, not ended */",
		}},
		{"not asked for", recording.Filter{Min: 100 * time.Nanosecond}, true, []string{
			"0.000000001s 1.055 us main.main();",
			"0.000001057s 206 ns main.wait(); /* not ended */",
		}},
		{"min", recording.Filter{Min: 500 * time.Nanosecond}, false, []string{
			"0.000000001s main.main() {",
			"0.000000102s 900 ns // waited for channel, woken by 7, ready for 100 ns",
			"0.000001056s 1.055 us } /* main.main */",
		}},
		{"of a function", recording.Filter{Show: func(f *function.Func) bool { return f.Name == "main.read" }}, false, []string{
			"0.000001003s main.read() {",
			"0.000001024s 30 ns // ready for 30 ns",
			"0.000001055s 52 ns } /* main.read */",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			compareLines(t, r, tt.filter, Options{Waiting: !tt.off}, tt.want)
		})
	}
}

// A new goroutine says how long it was ready, if that is with its first event.
func TestWaitingNew(t *testing.T) {
	events, err := calltreetest.Events("+500 <7 =0,40,40,7,300 A10 a10 =0,40,40,7,1 A10 a10")
	if err != nil {
		t.Fatal(err)
	}
	events[1].Clock = events[0].Clock
	r := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, Waiting: true, Tables: program("main.main")}
	compareLines(t, r, recording.Filter{}, Options{Waiting: true}, []string{
		"0.000000161s 40 ns // started by 7, ready for 40 ns",
		"0.000000503s 1 ns main.main();",
		"0.000000506s 1 ns main.main();",
	})
}
