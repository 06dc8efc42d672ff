package probe

import (
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/console"
)

// Func returns the factory of a sink that calls f for each firing, on the goroutine that fires, on
// several at the same time. f may keep args. If f panics, a line on stderr says so and that
// provider's firings don't call it any more. f must not fire probes that call it.
func Func(f func(p *Probe, args []any)) Factory {
	return one("Func", func(l *live) (sink, error) {
		if f == nil {
			return nil, nil
		}
		return &calling{always: always{"Func", l}, f: f}, nil
	})
}

type calling struct {
	always
	f    func(*Probe, []any)
	dead atomic.Bool // it has panicked
}

func (s *calling) enabled(*Probe) bool { return !s.dead.Load() }

func (s *calling) fire(p *Probe, v *values) {
	if s.dead.Load() {
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		s.dead.Store(true)
		if value := recover(); value != nil {
			console.Say("probe %s: its function has panicked and is not called any more: %v", p, value)
		}
	}()
	s.f(p, p.any(v))
	returned = true
}
