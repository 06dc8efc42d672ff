package otlp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/trace"
	"github.com/waymark-go/waymark/value"
)

// shown returns the spans of a trace with a root call, each as its name, its times in ms after the
// trace's start, its attributes of waymark, and what is below it.
func shown(t *testing.T, of *trace.Trace, root *trace.Call, most int) string {
	t.Helper()
	s := newSpanner(spans.NewResource("test"), most)
	list := s.spans(of, root, trace.Span{})
	var request struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Start                               int64 `json:"startTimeUnixNano,string"`
					End                                 int64 `json:"endTimeUnixNano,string"`
					Attributes                          []struct {
						Key   string
						Value map[string]any
					}
					Events []struct{ Name string }
					Status struct{ Code int }
				}
			}
		}
	}
	if err := json.Unmarshal(spans.Of(list).JSON(), &request); err != nil {
		t.Fatal(err)
	}
	texts, below := make(map[string]string), make(map[string][]string)
	all := request.ResourceSpans[0].ScopeSpans[0].Spans
	for _, one := range all {
		if one.TraceID != all[0].TraceID || texts[one.SpanID] != "" {
			t.Errorf("%s: trace %s, id %s", one.Name, one.TraceID, one.SpanID)
		}
		text := fmt.Sprintf("%s %d-%d", one.Name, one.Start/1e6-1e12, one.End/1e6-1e12)
		var more []string
		for _, a := range one.Attributes {
			if key, ok := strings.CutPrefix(a.Key, "waymark."); ok || strings.HasPrefix(key, "http.") || strings.HasPrefix(key, "url.") {
				for _, v := range a.Value {
					more = append(more, fmt.Sprint(strings.ReplaceAll(key, "_ns", ""), "=", strings.TrimSuffix(fmt.Sprint(v), "000000")))
				}
			}
		}
		for _, e := range one.Events {
			more = append(more, "event:"+e.Name)
		}
		if one.Status.Code != 0 {
			more = append(more, fmt.Sprint("status=", one.Status.Code))
		}
		sort.Strings(more)
		texts[one.SpanID] = text + " " + strings.Join(more, " ")
		if one.ParentSpanID != "" && texts[one.ParentSpanID] == "" {
			t.Errorf("%s comes before its parent %s", one.Name, one.ParentSpanID)
		}
		below[one.ParentSpanID] = append(below[one.ParentSpanID], one.SpanID)
	}
	var b strings.Builder
	var show func(id, indent string)
	show = func(id, indent string) {
		for _, child := range below[id] {
			fmt.Fprintf(&b, "%s%s\n", indent, texts[child])
			show(child, indent+"  ")
		}
	}
	show("", "")
	return b.String()
}

func TestSpans(t *testing.T) {
	with := func(c *trace.Call, set func(c *trace.Call)) *trace.Call { set(c); return c }
	background := with(made("bg", 60, 90), func(c *trace.Call) { c.Go, c.Goroutine, c.Detached, c.Exited = true, 2, true, true })
	root := made("handle", 0, 100,
		made("query", 10, 10), made("query", 20, 30, with(made("read", 25, 5), func(c *trace.Call) { c.Failed = true })),
		with(made("risky", 55, 1), func(c *trace.Call) { c.Panicked, c.Recovered = true, true }),
		with(made("dies", 57, 1), func(c *trace.Call) { c.Panicked = true }),
		background)
	of := &trace.Trace{Key: "1-5", Root: root.Func, Calls: 7, Lost: 3}
	for most, want := range map[int]string{
		7: `handle 0-100 calls_lost=3 self=58 trace=1-5
  query 10-20 self=10
  query 20-50 self=25
    read 25-30 error=true self=5 status=2
  risky 55-56 panicked=true recovered=true self=1
  dies 57-58 event:exception panicked=true self=1 status=2
  bg 60-150 detached=true goexit=true self=90
`,
		6: `handle 0-100 calls_lost=3 self=58 trace=1-5
  query 10-50 avg=20 calls=2 max=30 min=10 self=35 total=40
    read 25-30 error=true self=5 status=2
  risky 55-56 panicked=true recovered=true self=1
  dies 57-58 event:exception panicked=true self=1 status=2
  bg 60-150 detached=true goexit=true self=90
`,
		4: `handle 0-100 calls_left_out=1 calls_lost=3 self=58 trace=1-5
  query 10-50 avg=20 calls=2 calls_left_out=1 max=30 min=10 self=35 total=40
  risky 55-56 panicked=true recovered=true self=1
  dies 57-58 event:exception panicked=true self=1 status=2
`,
		1: "handle 0-100 calls_left_out=6 calls_lost=3 self=58 trace=1-5\n",
	} {
		if got := shown(t, of, root, most); got != want {
			t.Errorf("at most %d spans: got\n%swant\n%s", most, got, want)
		}
	}
}

// A recursion of a million calls has the outer ones as spans.
func TestDeep(t *testing.T) {
	f := &trace.Func{Name: "deep"}
	all := make([]trace.Call, 1_000_000)
	for i := range all {
		all[i].Func = f
		if i > 0 {
			all[i-1].Calls = []*trace.Call{&all[i]}
		}
	}
	s := newSpanner(spans.NewResource("test"), 10)
	list := s.spans(&trace.Trace{Calls: uint64(len(all))}, &all[0], trace.Span{TraceID: [16]byte{1}, SpanID: [8]byte{2}})
	if len(list) != 10 || list[0].Parent != [8]byte{2} || list[9].Parent != list[8].ID {
		t.Errorf("%d spans", len(list))
	}
}

// Of a trace for which there was no memory the root call is known.
func TestNoCalls(t *testing.T) {
	of := one(1)
	of.Failed, of.Panicked = true, true
	if got, want := shown(t, of, rootOf(of), 10), "main.handle 0-1000 event:exception panicked=true self=1000 status=2 trace=1-5\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	of.Panicked, of.Request, of.Status = false, "GET /a b", 503
	if got, want := shown(t, of, rootOf(of), 10), "main.handle 0-1000 error=true http.request.method=GET http.response.status_code=503 self=1000 status=2 trace=1-5 url.path=/a b\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Spans of one call have its arguments and results, with their names where these are known.
func TestSpanValues(t *testing.T) {
	seven, err := value.Value{Type: value.Type{Kind: reflect.Int, Name: "int"}, Bits: 7}, value.Value{State: value.Nil}
	root := &trace.Call{Func: &trace.Func{Name: "main.handle"}, Args: []any{seven}, Results: []any{seven, err}}
	root.Calls = []*trace.Call{{Func: &trace.Func{Name: "main.none"}}}
	got := shown(t, &trace.Trace{Calls: 2}, root, 100)
	if !strings.Contains(got, " args=(7) ") || !strings.Contains(got, " results=(7, <nil>) ") || strings.Count(got, "args") != 1 {
		t.Errorf("got\n%s", got)
	}
	root.Calls = []*trace.Call{{Func: root.Func, Args: root.Args}, {Func: root.Func, Args: root.Args}}
	if got := shown(t, &trace.Trace{Calls: 3}, root, 2); strings.Count(got, "args=") != 1 { // two calls are one span
		t.Errorf("got\n%s", got)
	}
}
