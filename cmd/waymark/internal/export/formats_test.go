package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// A stack follows the calls of a goroutine and adds them up.
type stack struct {
	open []call
	sums map[string]sums
}

type call struct {
	name            string
	start, children int64
}

func (s *stack) begin(name string, at int64) { s.open = append(s.open, call{name: name, start: at}) }

// innermost returns the name of the innermost call.
func (s *stack) innermost() string {
	if len(s.open) == 0 {
		return ""
	}
	return s.open[len(s.open)-1].name
}

// end ends the innermost call. Its self time is what the format says, or what is left of its time.
func (s *stack) end(t *testing.T, name string, at int64, self *int64) {
	n := len(s.open) - 1
	if n < 0 || name != "" && s.open[n].name != name {
		t.Fatalf("%q ends in %v", name, s.open)
	}
	c := s.open[n]
	s.open = s.open[:n]
	sum := s.sums[c.name]
	sum.calls++
	if self == nil {
		own := at - c.start - c.children
		self = &own
	}
	sum.self += *self
	if !slices.ContainsFunc(s.open, func(o call) bool { return o.name == c.name }) {
		sum.total += at - c.start
	}
	s.sums[c.name] = sum
	if n > 0 {
		s.open[n-1].children += at - c.start
	}
}

func readJSON(t *testing.T, data []byte, e *ends) map[string]sums {
	type line struct {
		ID, Caller, Goroutine          uint64
		Parent_goroutine               uint64
		Function                       string
		Start_ns, Duration_ns, Self_ns int64
		Recursive                      bool
	}
	calls := make(map[uint64]line)
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		calls[l.ID] = l
		e.start(l.Goroutine, l.Parent_goroutine)
		e.json(l.Goroutine, l.Function, lines.Bytes())
	}
	out := make(map[string]sums)
	for _, l := range calls {
		name := seen(l.Function)
		s := out[name]
		s.calls++
		s.self += l.Self_ns
		outermost := true
		for at := l.Caller; at != 0; at = calls[at].Caller {
			outermost = outermost && calls[at].Function != l.Function
		}
		if outermost {
			s.total += l.Duration_ns
		}
		if l.Recursive == outermost {
			t.Errorf("call %d: recursive is %v", l.ID, l.Recursive)
		}
		out[name] = s
	}
	return out
}

func readFolded(t *testing.T, data []byte, _ *ends) map[string]sums {
	out := make(map[string]sums)
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(line[at+1:], 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		frames := strings.Split(line[:at], ";")
		for i, name := range frames {
			name = strings.ToValidUTF8(name, "\ufffd")
			s := out[name]
			if !slices.Contains(frames[:i], frames[i]) {
				s.total += n
			}
			if i == len(frames)-1 {
				s.self += n
			}
			out[name] = s
		}
	}
	return out
}

func readSpeedscope(t *testing.T, data []byte, _ *ends) map[string]sums {
	var file struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Type, Unit           string
			StartValue, EndValue int64
			Events               []struct {
				Type  string
				Frame int
				At    int64
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]sums)
	for _, p := range file.Profiles {
		s := stack{sums: out}
		at := p.StartValue
		for _, e := range p.Events {
			if e.At < at || e.At > p.EndValue {
				t.Fatalf("event at %d, after %d, in a profile that ends at %d", e.At, at, p.EndValue)
			}
			at = e.At
			name := seen(file.Shared.Frames[e.Frame].Name)
			if e.Type == "O" {
				s.begin(name, e.At)
			} else {
				s.end(t, name, e.At, nil)
			}
		}
		if len(s.open) > 0 || p.Type != "evented" || p.Unit != "nanoseconds" {
			t.Errorf("profile %s in %s with open calls %v", p.Type, p.Unit, s.open)
		}
	}
	return out
}

func readChrome(t *testing.T, data []byte, e *ends) map[string]sums {
	var file struct {
		TraceEvents []struct {
			Ph, Name, ID string
			Pid, Tid     uint64
			Ts           json.Number
			Args         json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]sums)
	threads := make(map[[2]uint64]*stack)
	flows := make(map[string]uint64) // the goroutines in which they begin
	for _, event := range file.TraceEvents {
		us, ns, _ := strings.Cut(event.Ts.String(), ".")
		at, err := strconv.ParseInt(us+ns, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		thread := [2]uint64{event.Pid, event.Tid}
		s := threads[thread]
		if s == nil {
			s = &stack{sums: out}
			threads[thread] = s
		}
		switch event.Ph {
		case "B":
			s.begin(seen(event.Name), at)
		case "E":
			var args struct{ Self_ns int64 }
			if err := json.Unmarshal(event.Args, &args); err != nil {
				t.Fatal(err)
			}
			e.json(event.Tid, s.innermost(), event.Args)
			s.end(t, "", at, &args.Self_ns)
		case "s":
			flows[event.ID] = event.Tid
		case "f":
			e.start(event.Tid, flows[event.ID])
		}
	}
	return out
}

func readPprof(t *testing.T, data []byte, _ *ends) map[string]sums {
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	out := make(map[string]sums)
	cumulated := make(map[string]int64)
	for _, s := range p.Sample {
		in := make(map[string]bool)
		for i, l := range s.Location {
			name := seen(l.Line[0].Function.Name)
			sum := out[name]
			if i == 0 {
				sum.calls += s.Value[0]
				sum.total += s.Value[1]
				sum.self += s.Value[2]
			}
			out[name] = sum
			if !in[name] {
				cumulated[name] += s.Value[2]
			}
			in[name] = true
		}
	}
	for name, sum := range out {
		if d := sum.total - cumulated[name]; name != "(not shown)" && (d < -5 || d > 5) { // each sample is rounded
			t.Errorf("%q: total %d, cumulated self times are %d", name, sum.total, cumulated[name])
		}
	}
	return out
}
