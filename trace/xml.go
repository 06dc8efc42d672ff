package trace

import (
	"bufio"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/wire/actions"
)

var actionNames = [...]actions.Action{ActionStart: actions.Start, ActionEnd: actions.End, ActionException: actions.Exception}

// WriteXML writes traces as a file of actions. Each goroutine of a trace has an element. It has
// the time of each action in ns since 1970, what happens and the name of the function.
//
//	<trace-file unit="ns" start="1732300000122000000">
//	  <trace key="18-1503201" goroutine="18">1732300000123503201,START,main.handle|...</trace>
//	</trace-file>
//
// `waymark traces`, `report` and `tree` read it. The traces are of one collector: the keys count
// from the same time. The error is that of w.
func WriteXML(w io.Writer, list []*Trace) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	start := int64(0)
	if len(list) > 0 {
		start = list[0].began
	}
	x := actions.NewWriter(buf, start)
	for _, t := range list {
		keys, taken := make(map[uint64]string), make(map[string]bool) // of goroutines
		for i := range t.strands {
			s := &t.strands[i]
			if err := x.Write(t.element(s, i == 0, keys, taken)); err != nil {
				return err
			}
		}
	}
	if err := x.Close(); err != nil {
		return err
	}
	return buf.Flush()
}

// element returns the element of a strand. keys are of the goroutines before it, taken those of
// elements.
func (t *Trace) element(s *gather.Strand, first bool, keys map[uint64]string, taken map[string]bool) *actions.Element {
	e := &actions.Element{Key: t.Key, Goroutine: s.Goroutine}
	if !first {
		e.Key += "/" + strconv.FormatUint(s.Goroutine, 10)
		for n, once := 2, e.Key; taken[e.Key]; n++ { // a goroutine that work was handed to several times
			e.Key = once + "/" + strconv.Itoa(n)
		}
		taken[e.Key] = true
		if e.Parent = keys[s.Parent]; e.Parent == "" {
			e.Parent = t.Key
		}
	}
	keys[s.Goroutine] = e.Key
	t.actions(s, func(a Action) { e.Add(a.Time.UnixNano(), actionNames[a.Kind], a.Func.Name) })
	return e
}
