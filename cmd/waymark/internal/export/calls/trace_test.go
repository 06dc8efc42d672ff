package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Calls are told in the trace of the go statement; those of a goroutine that outlives its trace are traces of
// their own.
func TestTraces(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"a goroutine that begins in a later trace", "A10 >2 a10 A10 >3 @2 <1 B10 b10 . @1 a10 @3 <1 B10 b10 .",
			"A1/1 B3/1<1 A2/2 B4/2<2"},
		{"by one without calls", "A10 >2 @2 >3 @1 a10 A10 @3 <2 B10 b10 . @1 a10", "A1/1 B3/1<1 A2/2"},
		{"a worker", "A10 >2 @2 <1 B10 C20 c20 @1 a10 A10 @2 C20 c20 @1 a10 +2000 @2 b10 .", "C3/1 A1/1 C5/5 A4/4 B2/1<1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, err := calltreetest.Events(tt.events)
			if err != nil {
				t.Fatal(err)
			}
			r := calltreetest.Recording{Events: events, Hz: 1000, Spawns: true, End: events[len(events)-1].Clock + 10,
				Tables: []calltreetest.Table{{Package: "p", Sites: []format.Site{{Name: "A"}, {Name: "B"}, {Name: "C"}}}}}
			file, err := r.Open()
			if err != nil {
				t.Fatal(err)
			}
			set, err := tracefile.Join([]*tracefile.File{file})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			_, err = Tell(set, &recording.Filter{}, Options{Traces: true}, Listener{End: func(c *Call) error {
				one := fmt.Sprintf("%s%d/%d", c.Function.Name, c.ID, c.Trace.ID)
				if c.Starter != 0 {
					one += fmt.Sprintf("<%d", c.Starter)
				}
				got = append(got, one)
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("calls %s\nwant  %s", text, tt.want)
			}
		})
	}
}
