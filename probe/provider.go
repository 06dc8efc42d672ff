package probe

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/firings"
)

// A Provider is what a struct embeds that is a set of probes. The zero Provider is one that nobody
// has registered: its probes do nothing.
//
// The name of the provider is that of the struct's type. A tag says otherwise, and more:
//
//	type shop struct {
//		probe.Provider `probe:"shop,module=orders" stability:"provider=Stable/Evolving/Common"`
//		Start          probe.P0
//		Finish         probe.P1[int] `probe:"finish,function=serve"`
//	}
//
// A provider must not be copied once it is registered.
type Provider struct {
	name string // of Named
	live atomic.Pointer[live]
}

// Named returns a Provider with a name of its own, for several providers of one type:
//
//	second := shop{Provider: probe.Named("second")}
func Named(name string) Provider { return Provider{name: name} }

// Interface is what providers can do beside their own probes: types that embed Provider implement
// it. An interface that is to be a provider embeds it, for `waymark generate`:
//
//	type MyProvider interface {
//		probe.Interface
//		StartProbe()
//		FinishProbe(value int)
//	}
type Interface interface {
	// Dispose ends the provider: its probes do nothing from then on, and tracers don't see them any
	// more. Calls of Fire that are in progress go on. A provider that is disposed of can be registered
	// again. Dispose does nothing if the provider isn't registered. It returns the errors of sinks that
	// are closed; where a call of Fire is in progress, that call closes them later.
	Dispose() error

	// Probe returns the probe of that name, nil if there is none or the provider isn't registered.
	Probe(name string) *Probe

	// Probes returns the provider's probes in the order of the fields, nil if the provider isn't
	// registered.
	Probes() []*Probe

	provider() *Provider
}

func (p *Provider) provider() *Provider { return p }

// Dispose implements Interface.
func (p *Provider) Dispose() error {
	l := p.live.Swap(nil)
	if l == nil {
		return nil
	}
	return l.dispose()
}

// Probe implements Interface.
func (p *Provider) Probe(name string) *Probe {
	for _, one := range p.Probes() {
		if one.Name() == name {
			return one
		}
	}
	return nil
}

// Probes implements Interface.
func (p *Provider) Probes() []*Probe {
	if l := p.live.Load(); l != nil {
		return append([]*Probe(nil), l.probes...)
	}
	return nil
}

// Description returns what the provider is; false if it isn't registered.
func (p *Provider) Description() (Description, bool) {
	if l := p.live.Load(); l != nil {
		return l.description(), true
	}
	return Description{}, false
}

// Register makes the probes of a provider live: p points to a struct that embeds Provider. What the
// probes fire goes to the sinks of the factories; without any, to those of DefaultFactory.
//
// If the provider can't be had at all, Register returns a FieldError, a DuplicateError or an error
// that wraps ErrProvider, ErrRegistered or ErrName. The probes then do nothing. If a sink can't be
// had, the error has a SinkError for each of these; the provider is registered with the others. A
// program may go on in both cases.
func Register(p Interface, factories ...Factory) error {
	if len(factories) == 0 {
		factories = []Factory{DefaultFactory()}
	}
	return Compose(factories...).Register(p)
}

// Register is the function Register with this factory alone.
func (f Factory) Register(p Interface) error {
	l, fields, err := describe(p)
	if err != nil {
		return err
	}
	if err := registry.add(l); err != nil {
		return err
	}
	if !l.owner.live.CompareAndSwap(nil, l) {
		registry.remove(l)
		return &ProviderError{l.name, ErrRegistered}
	}
	wrong := l.open(f.makers)
	l.start(fields)
	return errors.Join(wrong...)
}

// A live is a registered provider.
type live struct {
	owner   *Provider
	name    string
	module  string
	sets    AttributeSets
	of      reflect.Type // of the struct
	probes  []*Probe
	sinks   []*seat
	fields  []*state
	words   []*uint32 // by probe
	mapped  bool      // the words are semaphores, see cell
	begun   bool      // the words are there; the registry's lock guards it
	mu      sync.Mutex
	visits  atomic.Int64 // firings in progress; below 0: disposed of
	closing sync.Once
	failure error // of closing
}

// registry has the providers that are live, by name.
var registry = &providers{}

type providers struct {
	mu       sync.Mutex
	list     []*live           // in the order of their registration
	watchers []firings.Watcher // commands that watch
}

func (r *providers) add(l *live) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.list {
		switch {
		case other.owner == l.owner:
			return &ProviderError{l.name, ErrRegistered}
		case other.name == l.name:
			return &DuplicateError{What: "provider", Name: l.name}
		}
	}
	r.list = append(r.list, l)
	return nil
}

func (r *providers) remove(l *live) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, other := range r.list {
		if other == l {
			r.list = append(r.list[:i:i], r.list[i+1:]...)
			return
		}
	}
}

// open makes the sinks. It returns a SinkError for each one that can't be had.
func (l *live) open(makers []maker) (wrong []error) {
	for _, m := range makers {
		s, err := m.open(l)
		if err != nil {
			wrong = append(wrong, &SinkError{Sink: m.name, Provider: l.name, Err: err})
		}
		if s != nil {
			l.sinks = append(l.sinks, &seat{sink: s})
		}
	}
	return wrong
}

// start lets the probes fire.
func (l *live) start(fields []*state) {
	if l.words == nil {
		cells := make([]uint32, len(l.probes))
		for i := range cells {
			l.words = append(l.words, &cells[i])
		}
	}
	l.fields = fields
	for i, s := range l.sinks {
		for _, p := range l.probes {
			s.begin(p, i)
		}
	}
	registry.begin(l)
	for i, f := range fields {
		f.set(l.probes[i], l.words[i])
	}
}

// dispose ends the provider. If a firing is in progress, that closes the sinks, at its end, and
// nobody hears of their errors. A sink may dispose of its provider, so nobody may wait here.
func (l *live) dispose() error {
	registry.remove(l)
	for _, f := range l.fields {
		f.set(nil, nil)
	}
	if l.visits.Add(disposed) != disposed {
		return nil
	}
	l.close()
	return l.failure
}

// disposed is what is added to visits.
const disposed = -1 << 62

// enter begins a firing, and reports whether the provider is live. If so leave must follow.
func (l *live) enter() bool {
	if l.visits.Add(1) > 0 {
		return true
	}
	l.leave()
	return false
}

func (l *live) leave() {
	if l.visits.Add(-1) == disposed {
		l.close()
	}
}

// close closes the sinks, when no firing is in progress any more.
func (l *live) close() {
	l.closing.Do(func() {
		var wrong []error
		for _, s := range l.sinks {
			if err := s.close(); err != nil {
				wrong = append(wrong, err)
			}
		}
		l.failure = errors.Join(wrong...)
	})
}
