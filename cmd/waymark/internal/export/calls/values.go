package calls

import (
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/text/jsontext"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Value is a recorded value as text.
type Value struct {
	Name string // unique among those of a call; "1" for the first one if it has no name
	Text string
}

// Args returns the arguments that were recorded, with the receiver. See Options.Whole.
func (c *Call) Args() []Value { return c.values(c.args, c.Function.Func.Args) }

// Results returns the results that were recorded.
func (c *Call) Results() []Value { return c.values(c.results, c.Function.Func.Results) }

// Panic returns the value of the panic that ended the call or that the call recovered, "" if there
// is none.
func (c *Call) Panic() string {
	if c.panicked == nil {
		return ""
	}
	values, _ := value.Decode(c.panicked, c.Goroutine.Process.File.Type)
	if len(values) == 0 {
		return ""
	}
	return new(value.Printer).Panic(&values[0])
}

func (c *Call) values(data []byte, names []string) []Value {
	if data == nil {
		return nil
	}
	values, err := value.Decode(data, c.Goroutine.Process.File.Type)
	list := make([]Value, 0, len(values)+1)
	for i := range values {
		name := strconv.Itoa(i + 1)
		if i < len(names) && names[i] != "_" && names[i] != "" {
			name = names[i]
		}
		list = append(list, Value{name, values[i].String()})
	}
	if err != nil || len(values) < len(names) {
		list = append(list, Value{"…", "not recorded"})
	}
	return list
}

// AppendObject appends values as a JSON object.
func AppendObject(b []byte, list []Value) []byte {
	b = append(b, '{')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsontext.String(b, v.Name), ':')
		b = jsontext.String(b, v.Text)
	}
	return append(b, '}')
}

// Measures yields the numbers of a call and their names, in ns. Formats have a member for each. If its
// goroutine did not always run, they are the parts of the self time, too, and the waiting by reason.
func (c *Call) Measures(yield func(name string, ns int64) bool) {
	if !yield("duration_ns", c.Duration) || !yield("self_ns", c.Self) || c.SelfOff == nil {
		return
	}
	off := c.SelfOff
	waiting := off.Waited()
	if !yield("self_running_ns", off.Running(c.Self)) || !yield("self_runnable_ns", off.Runnable) || !yield("self_waiting_ns", waiting) {
		return
	}
	for reason, ns := range off.Waiting {
		if ns != 0 && !yield(waitingFor[reason], ns) {
			return
		}
	}
}

// waitingFor are the names of waits by reason, as in "self_waiting_channel_ns".
var waitingFor = func() (names [tracefile.WaitReasons]string) {
	for reason := range names {
		names[reason] = "self_waiting_" + tracefile.WaitReason(reason).String() + "_ns"
	}
	return names
}()

// Marks says how calls ended, and what they lack.
var Marks = []struct {
	Name string
	Flag calltree.Flags
}{
	{"panicked", calltree.Panicked},
	{"recovered", calltree.Recovered},
	{"goexit", calltree.Exited},
	{"error", calltree.Failed},
	{"open", calltree.Open},        // the call had not ended at End
	{"past", calltree.Past},        // it goes on after the window
	{"end_unknown", calltree.Cut},  // it ended at End at the latest
	{"info", calltree.Info},        // a call of an info function, which takes no time
	{"counted", calltree.Long},     // see Single
	{"counted", calltree.Unfolded}, // its beginning is known to within some 100 us
}
