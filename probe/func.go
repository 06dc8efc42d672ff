package probe

// Func returns the factory of a sink that calls f for each firing, on the goroutine that fires, on
// several at the same time. f may keep args. If f panics, a line on stderr says so and that
// provider's firings don't call it any more. f must not fire probes that call it.
func Func(f func(p *Probe, args []any)) Factory {
	return one("Func", func(l *live) (sink, error) {
		if f == nil {
			return nil, nil
		}
		return &calling{always{"Func", l}, f}, nil
	})
}

type calling struct {
	always
	f func(*Probe, []any)
}

func (s *calling) fire(p *Probe, v *values) { s.f(p, p.any(v)) }
