package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/outlet"
	"github.com/waymark-go/waymark/trace"
)

// unlinked says that the fake links no package that the agent asks for.
var unlinked bool

// A fakeSink is one of package otlp.
type fakeSink struct{ keys []string }

func (s *fakeSink) Add(t *trace.Trace)         { s.keys = append(s.keys, t.Key) }
func (s *fakeSink) End(d time.Duration) string { return fmt.Sprint("lost in ", d) }

// Kept traces go to the sink, also those that come before it.
func TestExport(t *testing.T) {
	var said []byte
	defer console.Divert(func(text []byte) { said = append(said, text...) })()
	defer func() { outlet.Wanted = nil }()
	f, _, err := begins(t, "traces=main.a,otlp=http://c:4318")
	if err != nil || f.traces == nil || outlet.Wanted == nil {
		t.Fatalf("%v, %v; want traces, and a sink", err, f.traces)
	}
	f.traces.OnTrace(&trace.Trace{Key: "early"})
	s := new(fakeSink)
	outlet.Wanted(func(url string, say func(string)) (outlet.Sink, error) {
		say("to " + url)
		return s, nil
	})
	f.traces.OnTrace(&trace.Trace{Key: "later"})
	if got := fmt.Sprint(s.keys); got != "[early later]" {
		t.Errorf("the sink has %s", got)
	}
	e := &exporter{sink: s}
	e.end()
	if want := "waymark: to http://c:4318\nwaymark: otlp: lost in 5s\n"; string(said) != want {
		t.Errorf("said %q, want %q", said, want)
	}
}

// A program without the sink, or with one that can't start, says so and goes on.
func TestNoExport(t *testing.T) {
	var said []byte
	defer console.Divert(func(text []byte) { said = append(said, text...) })()
	defer func() { unlinked, outlet.Wanted = false, nil }()
	unlinked = true
	f, _, err := begins(t, "traces=main.a,otlp")
	if err != nil || f.traces == nil || f.traces.OnTrace != nil || f.traces.Period != 0 || !strings.Contains(string(said), "build it with waymark build --otlp") {
		t.Errorf("%v, said %q", err, said)
	}
	unlinked, said = false, nil
	if f, _, err = begins(t, "traces=main.a,otlp"); err != nil {
		t.Fatal(err)
	}
	outlet.Wanted(func(string, func(string)) (outlet.Sink, error) { return nil, errors.New("otlp: no") })
	f.traces.OnTrace(&trace.Trace{})
	if want := "waymark: WAYMARK: otlp: no; the traces are not sent\n"; string(said) != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
