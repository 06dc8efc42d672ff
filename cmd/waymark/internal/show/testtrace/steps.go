package testtrace

import (
	"bytes"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A step is the begin or the end of a call.
type step struct {
	begins   bool
	function string // whole name
	values   string // arguments or results, as text
	data     []byte // arguments or results, as they are recorded; nil: they are not
	ended    string // how, unless it returned
	at       int64  // ns since the test began
}

// Ways in which a call ends without returning, and one in which it returns nevertheless.
const (
	panicked  = "panic"
	exited    = "runtime.Goexit"
	unended   = "not ended"
	recovered = "recovered a panic"
)

// same reports whether both are the same step, without their values.
func (s *step) same(o *step) bool {
	return s.begins == o.begins && s.function == o.function && s.ended == o.ended
}

// A stepper reads the steps of a run, those of each of its threads in order.
type stepper struct {
	run     *Run
	skip    map[string]bool // functions of which the calls were not all recorded
	emit    func(thread string, s *step)
	values  value.Printer
	threads map[uint64]string
	test    map[string]bool // threads that tests run on
	scale   calltree.Scale
	events  *Events
	builder *calltree.Builder
	until   uint64 // clock: from then on events were given back
	over    bool
	cut     bool            // there were steps later
	lost    map[string]bool // threads that went on after the test
}

func newStepper(run *Run, skip map[string]bool, emit func(thread string, s *step)) *stepper {
	s := &stepper{
		run: run, skip: skip, emit: emit, threads: run.threadsOf(), test: make(map[string]bool), lost: make(map[string]bool),
		scale: recording.ScaleOf(run.Recording.file), events: run.Recording.Events(run.tests), until: never,
	}
	for _, t := range run.tests {
		s.test[t.Name] = true
		for _, g := range run.Recording.gaps[t.Begin] {
			s.until = min(s.until, g.From)
		}
	}
	s.builder = calltree.New(calltree.Options{OnEnter: s.enter, OnCall: s.call})
	return s
}

// next reads an event, unless there is none.
func (s *stepper) next() {
	var ev tracefile.Event
	switch {
	case s.over:
		return
	case !s.events.Next(&ev):
		s.over = true
		s.builder.Close(min(s.run.End, recording.EndOf(s.run.Recording.file)))
	case ev.Clock >= s.until:
		s.over, s.cut = true, true
	default:
		s.builder.Add(&ev)
	}
}

func (s *stepper) function(site uint32) (f tracefile.Func, skipped bool) {
	f, _ = s.run.Recording.file.Func(site)
	return f, s.skip[f.Name]
}

// text returns arguments or results as text, "" if they weren't recorded.
func (s *stepper) text(encoded []byte, names []string, results bool) string {
	if encoded == nil {
		return ""
	}
	values, err := value.Decode(encoded, s.run.Recording.file.Type)
	if results && len(values) == 1 && len(names) == 1 && err == nil {
		return s.values.Value(&values[0])
	}
	return s.values.List(values, names, err != nil)
}

func (s *stepper) at(clock uint64) int64 { return s.scale.Nanoseconds(clock - s.run.Begin) }

func (s *stepper) enter(c *calltree.Call) {
	f, skipped := s.function(c.Site)
	if skipped {
		return
	}
	args := s.text(c.Args, f.Args, false)
	if args == "" {
		args = value.Join(nil, f.Args, false)
	}
	s.emit(s.threads[c.Goroutine], &step{begins: true, function: f.Name, values: args, data: bytes.Clone(c.Args), at: s.at(c.Start)})
}

func (s *stepper) call(c *calltree.Call) {
	f, skipped := s.function(c.Site)
	thread := s.threads[c.Goroutine]
	if skipped || c.Flags&(calltree.Long|calltree.Info) != 0 {
		return
	}
	st := step{function: f.Name, at: s.at(c.End)}
	switch {
	case c.Flags&(calltree.Open|calltree.Cut) != 0:
		if s.cut || !s.test[thread] {
			s.lost[thread] = true
			return
		}
		st.ended = unended
	case c.Flags&calltree.Exited != 0:
		st.ended = exited
	case c.Flags&calltree.Recovered != 0:
		st.ended = recovered
	case c.Flags&calltree.Panicked != 0:
		st.ended = panicked
	}
	if st.ended == "" || c.Flags&calltree.Recovered != 0 {
		st.values, st.data = s.text(c.Results, f.Results, true), bytes.Clone(c.Results)
	} else if values, _ := value.Decode(c.Panic, s.run.Recording.file.Type); len(values) > 0 {
		st.values, st.data = s.values.Panic(&values[0]), bytes.Clone(c.Panic)
	}
	s.emit(thread, &st)
}
