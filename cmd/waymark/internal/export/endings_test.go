package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
)

// ends are how calls ended, and who started their goroutines, as a format has it. Its methods note nothing in
// a nil one.
type ends struct {
	calls   map[string]string // marks, by goroutine and function
	parents map[uint64]uint64
}

func (e *ends) call(goroutine uint64, name string, marks ...string) {
	if e != nil {
		slices.Sort(marks)
		e.calls[fmt.Sprintf("g%d %s", goroutine, seen(strings.ReplaceAll(name, "\x00", "\ufffd")))] = strings.Join(marks, " ")
	}
}

// json notes a call whose marks are members of an object.
func (e *ends) json(goroutine uint64, name string, object []byte) {
	var members map[string]any
	if json.Unmarshal(object, &members) != nil {
		return
	}
	var marks []string
	for key, value := range members {
		if value == true {
			marks = append(marks, key)
		}
	}
	e.call(goroutine, name, marks...)
}

func (e *ends) start(goroutine, parent uint64) {
	if e != nil && parent != 0 {
		e.parents[goroutine] = parent
	}
}

// The recording has a caught panic, Goexit, an error, three generations of goroutines, and calls
// that os.Exit has cut off. The panic is caught two calls higher up. Each format that has a place
// for one of these says so. In all formats the numbers are those of a report.
func TestEndings(t *testing.T) {
	text, _, _ := strings.Cut(events(), "I20 ") // without the recursion
	text = strings.NewReplacer("A10 ", "J10 ", "^20 e50 ", "e50 ^20 ").Replace(text) + "H20 +10"
	tail := seen(strings.ReplaceAll(hostile, "\x00", "\ufffd"))
	want := ends{
		calls: map[string]string{
			"g1 main.waits": "open", "g1 main.caught": "panicked recovered", "g1 main.outer": "panicked", "g1 main.thrower": "panicked", "g1 main.caught.func1": "", "g1 " + tail: "open",
			"g2 main.(*T).child": "", "g2 " + tail: "",
			"g3 main.(*T).child": "goexit", "g3 main.exits": "goexit",
			"g4 " + tail: "error", "g4 main.waits": "open",
		},
		parents: map[uint64]uint64{2: 1, 3: 2, 4: 3},
	}
	filter := recording.Filter{Show: func(*function.Func) bool { return true }}
	numbers := reported(t, record(t, text), recording.Filter{})
	for _, f := range formats {
		t.Run(f.Name, func(t *testing.T) {
			got := &ends{calls: make(map[string]string), parents: make(map[uint64]uint64)}
			compare(t, f.Name, numbers, readers[f.Name](t, written(t, f.Name, record(t, text), filter), got))
			switch f.Name {
			case "pprof", "folded", "speedscope", "xml": // which have no place for it
				return
			}
			if diff := gocmp.Diff(want, *got, gocmp.AllowUnexported(ends{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
