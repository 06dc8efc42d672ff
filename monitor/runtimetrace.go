package monitor

import (
	"context"
	"runtime/trace"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/text"
)

// RuntimeTrace makes a factory of monitors for package runtime/trace. Each call is a region, which
// `go tool trace` shows by goroutine. Each call of an info function is a log entry. While no such
// trace is being made, the monitors do next to nothing.
func RuntimeTrace() Factory { return new(regions) }

type regions struct {
	open goroutine.Local[[]*trace.Region]
}

func (r *regions) Kind() string { return "RuntimeTrace" }

func (r *regions) Create(pkg string) Monitor { return &regionMonitor{named{pkg}, r} }

type regionMonitor struct {
	named
	r *regions
}

func (m *regionMonitor) Enter(id int, args ...any) {
	list := m.r.open.Get(true)
	*list = append(*list, trace.StartRegion(context.Background(), m.function(id)))
}

func (m *regionMonitor) exit() {
	list := m.r.open.Get(false)
	if list == nil || len(*list) == 0 {
		return // cleared meanwhile
	}
	last := len(*list) - 1
	(*list)[last].End()
	if *list = (*list)[:last]; last == 0 {
		m.r.open.Drop()
	}
}

func (m *regionMonitor) Exit(int) { m.exit() }

func (m *regionMonitor) ExitResults(int, ...any) { m.exit() }

func (m *regionMonitor) Info(args []any, caller, self int, point waymark.Point) {
	if trace.IsEnabled() {
		trace.Log(context.Background(), m.function(self), string(text.AppendList(nil, args)))
	}
}

func (m *regionMonitor) Panic(id int, value any) {
	switch {
	case !trace.IsEnabled():
	case value == any(Goexit):
		trace.Log(context.Background(), m.function(id), "calls runtime.Goexit")
	default:
		trace.Log(context.Background(), "panic in "+m.function(id), waymark.Text(value))
	}
}

func (m *regionMonitor) Clear() { m.r.open.Clear() }
