package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// document is the trace of the document that actions come from, with a goroutine beside it.
func document(t testing.TB) *Trace {
	return newTrace(gathered(t,
		"7: 0 +ParentMethod 10 +ChildMethod1 20 +GrandChildMethod1 30 -GrandChildMethod1 40 -ChildMethod1 50 +ChildMethod2 60 -ChildMethod2 100 -ParentMethod",
		"8<7@15 ChildMethod1: 16 +Thread 36 -Thread"), epoch.UnixNano()-1000)
}

// lines returns calls, a line each, indented by their depth.
func lines(c *Call, depth int) (list []string) {
	line := fmt.Sprintf("%s%s %d %d", strings.Repeat(" ", depth), c.Func.Name, c.Duration.Microseconds(), c.Self.Microseconds())
	for _, mark := range []struct {
		is   bool
		word string
	}{{c.Go, "go"}, {c.Panicked, "panicked"}, {c.Failed, "failed"}, {c.Exited, "exited"}, {c.Detached, "detached"}, {c.Open, "open"}} {
		if mark.is {
			line += " " + mark.word
		}
	}
	list = append(list, line)
	for _, below := range c.Calls {
		list = append(list, lines(below, depth+1)...)
	}
	return list
}

func TestCall(t *testing.T) {
	for _, tt := range []struct {
		name    string
		strands []string
		want    string
	}{
		{"one call", []string{"1: +a 5 -a"}, "a 5 5"},
		{"calls", []string{"1: +a 1 +b 3 -b 4 +b 9 -b 10 -a"}, "a 10 3| b 2 2| b 5 5"},
		{"an error", []string{"1: +a 1 +b 3 ?b -b 10 -a"}, "a 10 8| b 2 2 failed"},
		{"a panic that is recovered", []string{"1: +a 1 +b 2 +c 3 P R1 4 !c 5 !b 6 -a"}, "a 6 2 panicked| b 4 2 panicked|  c 2 2 panicked"},
		{"a panic that nobody recovers", []string{"1: +a 1 +b 3 P !b 4 !a"}, "a 4 2 panicked| b 2 2 panicked"},
		{"Goexit", []string{"1: +a 1 +b 3 G !b 4 !a"}, "a 4 2 exited| b 2 2 exited"},
		{"a panic and then Goexit", []string{"1: +a 1 +b 2 P R2 -b 3 G !a"}, "a 3 2 exited| b 1 1 panicked"},
		{"a panic while Goexit goes on", []string{"1: +a 1 +b G +c P R2 !c !b !a"}, "a 1 1 exited| b 0 0 panicked exited|  c 0 0 exited"},
		{"a goroutine", []string{"1: +a 1 +b 4 -b 6 +b 8 -b 10 -a", "2<1@7 b: 8 +g 9 -g"}, "a 10 5| b 3 3| b 2 2|  g 1 1 go"},
		{"a goroutine of a goroutine", []string{"1: +a 10 -a", "2<1@1 a: 2 +g 9 -g", "3<2@3 g: 4 +h 5 -h"}, "a 10 10| g 7 7 go|  h 1 1 go"},
		{"detached", []string{"1: +a 10 -a", "2<1@1 a: 2 +g 3 +h 15 -h 20 -g"}, "a 10 10| g 18 6 go detached|  h 12 12 detached"},
		{"open", []string{"1: +a 10 -a", "2<1@1 a: 2 +g 3 +h 15 -h"}, "a 10 10| g 13 1 go detached open|  h 12 12 detached"},
		{"started by an unknown call", []string{"1: +a 10 -a", "2<1@1 x: 2 +g 3 -g 4 +g 5 -g"}, "a 10 10| g 1 1 go| g 1 1 go"},
		{"in the order of time", []string{"1: +a 5 +b 6 -b 10 -a", "2<1@1 a: 2 +g 3 -g"}, "a 10 9| g 1 1 go| b 1 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrace(gathered(t, tt.strands...), epoch.UnixNano())
			got := strings.Join(lines(tr.Call(), 0), "|")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			// All views of the trace have the same calls.
			nodes := uint64(0)
			tree := tr.nodes()
			for i := range tree.Nodes {
				nodes += tree.Nodes[i].Sum.Calls
			}
			starts, calls := uint64(0), uint64(0)
			for _, a := range tr.Actions() {
				if a.Kind == ActionStart {
					starts++
				}
			}
			paths := tr.Tree()
			var visit func(c *Call)
			self := time.Duration(0)
			visit = func(c *Call) {
				calls++
				self += c.Self
				for _, below := range c.Calls {
					visit(below)
				}
			}
			visit(tr.Call())
			if nodes != tr.Calls || starts != tr.Calls || calls != tr.Calls || paths.Root.Total != self {
				t.Errorf("%d calls, printed %d, actions %d, in the tree %d; time %v in callgraph's tree, %v of calls", tr.Calls, nodes, starts, calls, paths.Root.Total, self)
			}
		})
	}
}

func TestText(t *testing.T) {
	const want = `7-1000: ParentMethod on goroutine 7 at 1.000 us, took 100.000 us: 5 calls on 2 goroutines

     Total        Self  Function [calls, min, avg, max, total]
100.000 us   60.000 us  ParentMethod
 30.000 us   20.000 us    ChildMethod1
 20.000 us   20.000 us      go Thread
 10.000 us   10.000 us      GrandChildMethod1
 10.000 us   10.000 us    ChildMethod2
`
	tr := document(t)
	if got := tr.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	tr.Lost = 3
	if got := tr.String(); got != want+"\n3 calls not shown: the trace was full\n" {
		t.Errorf("with lost calls:\n%s", got)
	}
	var b bytes.Buffer
	if err := WriteList(&b, []*Trace{tr}); err != nil {
		t.Fatal(err)
	}
	const list = `  Key        Start    Duration  Calls  Panics  Errors  Goroutines  Root
  ------  --------  ----------  -----  ------  ------  ----------  ------------
  7-1000  1.000 us  100.000 us      5       -       -           2  ParentMethod
`
	if b.String() != list {
		t.Errorf("got\n%swant\n%s", b.String(), list)
	}
}

func TestXML(t *testing.T) {
	var b bytes.Buffer
	left := newTrace(gathered(t, "9: +a 5 P !a"), epoch.UnixNano()-1000)
	if err := WriteXML(&b, []*Trace{document(t), left}); err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<trace-file unit="ns" start="1699999999999999000">
  <trace key="7-1000" goroutine="7">1700000000000000000,START,ParentMethod|1700000000000010000,START,ChildMethod1|1700000000000020000,START,GrandChildMethod1|1700000000000030000,END,GrandChildMethod1|1700000000000040000,END,ChildMethod1|1700000000000050000,START,ChildMethod2|1700000000000060000,END,ChildMethod2|1700000000000100000,END,ParentMethod</trace>
  <trace key="7-1000/8" parent="7-1000" goroutine="8">1700000000000016000,START,Thread|1700000000000036000,END,Thread</trace>
  <trace key="9-1000" goroutine="9">1700000000000000000,START,a|1700000000000005000,EXCEPTION,a</trace>
</trace-file>
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A trace has the trace id of the span that it is in, or one of its own.
func TestID(t *testing.T) {
	seen := make(map[[16]byte]bool)
	for i := 0; i < 100; i++ {
		one := newTrace(lasting(t, 1), 0)
		if one.ID == [16]byte{} || seen[one.ID] {
			t.Fatalf("id %x", one.ID)
		}
		seen[one.ID] = true
	}
	g := lasting(t, 1)
	g.Within.TraceID[3], g.Within.SpanID[0] = 7, 1
	copy(g.Within.Request[:], "GET /caf\xc3")
	if one := newTrace(g, 0); one.ID != g.Within.TraceID || one.Within.SpanID[0] != 1 || one.Request != "GET /caf" {
		t.Errorf("%+v", one)
	}
}
