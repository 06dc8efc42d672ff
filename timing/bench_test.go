package timing

import "testing"

// BenchmarkTimer is what a measurement costs: an enter and an exit.
func BenchmarkTimer(b *testing.B) {
	for _, bench := range []struct {
		name    string
		enabled bool
		handler Handler
	}{
		{"inactive", false, NewStatistics()},
		{"no handler", true, nil},
		{"nothing done", true, nothing{}},
		{"statistics", true, NewStatistics()},
		{"log", true, NewLog(nil, 1000)},
	} {
		for _, way := range []struct {
			name string
			call func(*Timer)
		}{
			{"enter and exit", func(t *Timer) { t.Exit(t.Enter()) }},
			{"call", func(t *Timer) { t.enterOwn(); t.exitOwn() }},
			{"time", func(t *Timer) { t.Time(func() {}) }},
		} {
			b.Run(bench.name+"/"+way.name, func(b *testing.B) {
				s := NewSet(Config{Goroutine: func() uint64 { return 7 }})
				s.AddHandler(bench.handler)
				timer := must(s.Timer("T", ""))(b)
				if bench.enabled {
					timer.Enable()
				}
				way.call(timer)
				b.ReportAllocs()
				b.ResetTimer()
				for i := 0; i < b.N; i++ {
					way.call(timer)
				}
			})
		}
	}
}

type nothing struct{}

func (nothing) Handle(Event) {}

// BenchmarkContended is one timer on all processors.
func BenchmarkContended(b *testing.B) {
	s := NewSet(Config{Goroutine: idOfAddress})
	s.AddHandler(NewStatistics())
	timer := must(s.Timer("T", ""))(b)
	timer.Enable()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			timer.Exit(timer.Enter())
		}
	})
}

// idOfAddress returns a number that differs between goroutines with short stacks.
func idOfAddress() uint64 { return uint64(1 + spread(0)) }
