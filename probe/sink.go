package probe

import (
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/console"
)

// A Factory makes sinks: what probes are told to. A provider that is registered has a sink of each of
// its factories. The zero Factory is that of NoOp.
type Factory struct{ makers []maker }

// A maker makes one kind of sink. It may return a sink and an error, or neither: then the sink is off.
type maker struct {
	name string
	open func(*live) (sink, error)
}

// A sink is told when probes of one provider fire.
type sink interface {
	name() string

	// begin says that p can fire from now on. number is the sink's, among the provider's.
	begin(p *Probe, number int)

	// enabled reports whether somebody looks.
	enabled(p *Probe) bool

	// fire is called on the goroutine that fires, on several at the same time. It does not keep v.
	fire(p *Probe, v *values)

	// close is called once, when no firing is in progress.
	close() error
}

// A seat is a sink of a provider.
type seat struct {
	sink
	dead atomic.Bool // it has panicked: nobody tells it anything any more
}

// tell tells the sink. A panic in it, or in a method of a value, is not the program's: a probe has no
// logical impact.
func (s *seat) tell(p *Probe, v *values) {
	returned := false
	defer func() {
		if returned {
			return
		}
		s.dead.Store(true)
		if value := recover(); value != nil {
			console.Say("probe %s: %s has panicked and is told nothing any more: %v", p, s.name(), value)
		}
	}()
	s.fire(p, v)
	returned = true
}

// one returns the factory of one kind of sink.
func one(name string, open func(*live) (sink, error)) Factory {
	return Factory{[]maker{{name, open}}}
}

// Compose returns a factory of the sinks of all factories. A probe is told to them in this order.
func Compose(factories ...Factory) Factory {
	var all Factory
	for _, f := range factories {
		all.makers = append(all.makers, f.makers...)
	}
	return all
}

// NoOp returns the factory of no sink: probes cost a load, and nobody is told.
func NoOp() Factory { return Factory{} }

// DefaultFactory returns the factory of what the system and the program have. That is USDT on
// linux, amd64 and arm64; Record in a program that waymark has built; else NoOp.
func DefaultFactory() Factory {
	var list []Factory
	if usdtSupported {
		list = append(list, USDT())
	}
	if recorderSupported {
		list = append(list, Record())
	}
	return Compose(list...)
}

// always is a sink that looks at all probes, all the time.
type always struct {
	kind string
	live *live
}

func (s *always) name() string { return s.kind }

func (s *always) begin(p *Probe, number int) { p.live.look(p, number, true) }

func (s *always) enabled(*Probe) bool { return true }

func (s *always) close() error { return nil }
