package agent

import (
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/outlet"
	"github.com/waymark-go/waymark/trace"
)

// An exporter sends kept traces to the collector that the settings name.
type exporter struct {
	mu    sync.Mutex
	sink  outlet.Sink    // nil: package otlp has not been initialised yet, or could not start
	early []*trace.Trace // until then
	over  bool           // no more are added
}

// Bounds of an exporter.
const (
	mostEarly   = 256
	endPatience = 5 * time.Second // for the collector when the program ends
)

// export returns what sends traces to a URL, nil if the program doesn't link package otlp.
func export(url string) *exporter {
	if !host.Linked(outlet.Package) {
		console.Say("WAYMARK: otlp: the program does not link what sends traces: build it with waymark build --otlp, or import %s; the traces are not sent", outlet.Package)
		return nil
	}
	e := new(exporter)
	outlet.Wanted = func(start outlet.Starter) {
		sink, err := start(url, func(text string) { console.Say("%s", text) })
		if err != nil {
			console.Say("WAYMARK: %v; the traces are not sent", err)
		}
		e.begin(sink, err == nil)
	}
	return e
}

// begin has traces go to a sink, if it started.
func (e *exporter) begin(sink outlet.Sink, started bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over = e.over || !started; !e.over {
		e.sink = sink
		for _, t := range e.early {
			sink.Add(t)
		}
	}
	e.early = nil
}

// add sends a trace. It never blocks.
func (e *exporter) add(t *trace.Trace) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.sink != nil:
		e.sink.Add(t)
	case !e.over && len(e.early) < mostEarly:
		e.early = append(e.early, t)
	}
}

// end sends what waits, and says what could not be sent.
func (e *exporter) end() {
	e.mu.Lock()
	sink := e.sink
	e.over = true
	e.mu.Unlock()
	if sink == nil {
		return
	}
	if text := sink.End(endPatience); text != "" {
		console.Say("otlp: %s", text)
	}
}
