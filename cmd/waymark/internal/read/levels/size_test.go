package levels

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// An index is no larger than its recording. That is so, too, if there are many goroutines with a
// few calls each, which are open at the same time or not.
func TestSize(t *testing.T) {
	for _, tt := range []struct {
		name   string
		calls  int
		atOnce int // goroutines
		most   float64
	}{
		{"a call each", 1, 1, 1},
		{"ten calls each", 10, 1, 1},
		{"a thousand at once", 2, 1000, 1},
		{"few goroutines", 2000, 1, 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var events []tracefile.Event
			clock := uint64(0)
			add := func(goroutine uint64, ev tracefile.Event) {
				clock += 50 + 37*goroutine%101
				ev.Clock, ev.Goroutine, ev.Stream = clock, goroutine, uint32(goroutine%2)
				events = append(events, ev)
			}
			each := func(from, to int, do func(g uint64)) {
				for g := from; g < to; g++ {
					do(uint64(2 + g))
				}
			}
			goroutines := 40_000 / (1 + tt.calls)
			for first := 0; first < goroutines; first += tt.atOnce {
				last := first + tt.atOnce
				each(first, last, func(g uint64) { add(g, tracefile.Event{Kind: tracefile.Start, Value: 1, Origin: 1}) })
				for range tt.calls {
					each(first, last, func(g uint64) { add(g, tracefile.Event{Kind: tracefile.Enter, Site: 1, Token: 10}) })
					each(first, last, func(g uint64) { add(g, tracefile.Event{Kind: tracefile.Exit, Site: 1, Token: 10}) })
				}
				each(first, last, func(g uint64) { add(g, tracefile.Event{Kind: tracefile.End}) })
			}
			r := calltreetest.Recording{Events: events, PerBlock: 4000, Start: 1 << 40, End: clock + 1, Tables: []calltreetest.Table{{Package: "p", Sites: []format.Site{{Name: "p.F"}}}}}
			b := r.Bytes()
			name := filepath.Join(t.TempDir(), "many.wmt")
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := tracefile.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			set, err := tracefile.Join([]*tracefile.File{file})
			if err != nil {
				t.Fatal(err)
			}
			x, err := Open(context.Background(), recording.Processes(set)[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			t.Logf("%d goroutines: recording %d bytes, index %d, %d strokes, %d chunks", goroutines, len(b), x.Size(), x.Strokes, len(x.chunks))
			if got := float64(x.Size()) / float64(len(b)); got > tt.most {
				t.Errorf("the index has %.2f times the recording's bytes, want %v at most", got, tt.most)
			}
		})
	}
}

// The state says how far an index is, never that it is farther, and why there is none.
func TestState(t *testing.T) {
	state := func(events string, fails bool) string {
		t.Helper()
		list, err := calltreetest.Events(events)
		if err != nil {
			t.Fatal(err)
		}
		if t.Setenv("TMPDIR", t.TempDir()); fails {
			t.Setenv("TMPDIR", filepath.Join(os.TempDir(), "none"))
		}
		r := calltreetest.Recording{Events: list, Waiting: true, End: 100, Tables: []calltreetest.Table{{Package: "p", Sites: []format.Site{{Name: "p.F"}}}}}
		file, err := r.Open()
		if err != nil {
			t.Fatal(err)
		}
		set, err := tracefile.Join([]*tracefile.File{file})
		if err != nil {
			t.Fatal(err)
		}
		tl := NewTimeline(set, Options{})
		defer tl.Close()
		if err := tl.Prepare(); (err != nil) != fails {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		tl.ServeHTTP(answer, httptest.NewRequest("GET", "/state", nil))
		return answer.Body.String()
	}
	// Eight events are waits, which are not counted.
	const events = "A10 _2 =2,1,0,0 _2 =2,1,0,0 _2 =2,1,0,0 _2 =2,1,0,0 a10"
	if got := state(events, false); !strings.Contains(got, `"ready":true,"read":2,"all":2}`) {
		t.Errorf("an index: %s, want ready, 2 of 2", got)
	}
	if got := state(events, true); !strings.Contains(got, `"ready":false,`) || !strings.Contains(got, `"error":"index of`) {
		t.Errorf("no index: %s, want not ready, and an error", got)
	}
}
