package probe

import (
	"context"
	"log/slog"
	"runtime/trace"
	"time"

	"github.com/waymark-go/waymark/internal/program/text"
)

// RuntimeTrace returns the factory of a sink that makes each firing a log event of package
// runtime/trace, for `go tool trace`. The event's category is the provider and the probe, its
// message the arguments. It belongs to no task. While no such trace is being made a firing costs a
// few ns.
func RuntimeTrace() Factory {
	return one("RuntimeTrace", func(l *live) (sink, error) { return &tracing{always{"RuntimeTrace", l}}, nil })
}

type tracing struct{ always }

func (s *tracing) enabled(*Probe) bool { return trace.IsEnabled() }

func (s *tracing) fire(p *Probe, v *values) {
	if trace.IsEnabled() {
		trace.Log(context.Background(), p.live.name+"."+p.name, string(text.AppendList(nil, p.any(v))))
	}
}

// Slog returns the factory of a sink that makes each firing a record of the logger, at that level.
// The message is the provider and the probe, the arguments are arg0, arg1 and so on. A nil logger is
// the default one at the time of the firing.
func Slog(logger *slog.Logger, level slog.Level) Factory {
	return one("Slog", func(l *live) (sink, error) { return &logging{always{"Slog", l}, logger, level}, nil })
}

type logging struct {
	always
	to    *slog.Logger
	level slog.Level
}

func (s *logging) logger() *slog.Logger {
	if s.to != nil {
		return s.to
	}
	return slog.Default()
}

func (s *logging) enabled(*Probe) bool {
	return s.logger().Enabled(context.Background(), s.level)
}

func (s *logging) fire(p *Probe, v *values) {
	h := s.logger().Handler()
	if !h.Enabled(context.Background(), s.level) {
		return
	}
	r := slog.NewRecord(time.Now(), s.level, p.live.name+"."+p.name, 0)
	for i := range p.args {
		r.AddAttrs(slog.Any(argNames[i], p.args[i].value(v[i])))
	}
	h.Handle(context.Background(), r)
}

var argNames = [MaxArgs]string{"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "arg10", "arg11"}
