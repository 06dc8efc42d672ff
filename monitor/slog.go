package monitor

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/goroutine"
)

// Slog makes a factory of monitors that log each event at level debug. The message is enter, info,
// exit, panic or goexit. The attributes are the package, the function, the goroutine, and the
// values as text. A nil logger means slog.Default at the time of the event.
func Slog(l *slog.Logger) Factory { return &slogFactory{l} }

type slogFactory struct{ logger *slog.Logger }

func (f *slogFactory) Kind() string { return "Slog" }

func (f *slogFactory) Create(pkg string) Monitor { return &slogMonitor{named{pkg}, f} }

type slogMonitor struct {
	named
	f *slogFactory
}

func (m *slogMonitor) log(message string, id int, attrs ...slog.Attr) {
	l := m.f.logger
	if l == nil {
		l = slog.Default()
	}
	ctx := context.Background()
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs = append([]slog.Attr{
		slog.String("package", m.pkg), slog.String("function", m.name(id)), slog.Uint64("goroutine", goroutine.ID()),
	}, attrs...)
	l.LogAttrs(ctx, slog.LevelDebug, message, attrs...)
}

// valuesAttr makes a group of values as text, by their index.
func valuesAttr(key string, list []any) slog.Attr {
	attrs := make([]any, len(list))
	for i, v := range list {
		attrs[i] = slog.String(strconv.Itoa(i), waymark.Text(v))
	}
	return slog.Group(key, attrs...)
}

func (m *slogMonitor) Enter(id int, args ...any) { m.log("enter", id, valuesAttr("args", args)) }

func (m *slogMonitor) Info(args []any, caller, self int, point waymark.Point) {
	m.log("info", self, slog.String("caller", m.name(caller)), slog.String("point", point.String()), valuesAttr("args", args))
}

func (m *slogMonitor) Exit(id int) { m.log("exit", id) }

func (m *slogMonitor) ExitResults(id int, results ...any) {
	m.log("exit", id, valuesAttr("results", results))
}

func (m *slogMonitor) Panic(id int, value any) {
	if value == any(Goexit) {
		m.log("goexit", id)
		return
	}
	m.log("panic", id, slog.String("value", waymark.Text(value)))
}

func (m *slogMonitor) Clear() {}
