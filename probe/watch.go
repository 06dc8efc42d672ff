package probe

import (
	"slices"

	"github.com/waymark-go/waymark/internal/program/firings"
)

func init() { firings.Register(registry) }

// watching is the sink of a command that watches, through the program's control socket. It comes and
// goes while the provider is live, so it is none of the provider's sinks: each probe has a list.
type watching struct {
	always
	to firings.Watcher
}

func (s *watching) fire(p *Probe, v *values) {
	s.to.Fired(p.live.name, p.name, func() []any { return p.any(v) })
}

// Watch implements firings.Source: w is added to providers that are live, and to those that come.
func (r *providers) Watch(w firings.Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers = append(r.watchers, w)
	for _, l := range r.list {
		if l.begun {
			l.watch(w)
		}
	}
}

// Unwatch implements firings.Source.
func (r *providers) Unwatch(w firings.Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers = slices.DeleteFunc(r.watchers, func(other firings.Watcher) bool { return other == w })
	for _, l := range r.list {
		for _, p := range l.probes {
			p.unwatch(w)
		}
	}
}

// begin says that the provider's words are there, and adds it to what is watched. A provider that
// somebody has disposed of meanwhile stays as it is.
func (r *providers) begin(l *live) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.list, l) {
		return
	}
	l.begun = true
	for _, w := range r.watchers {
		l.watch(w)
	}
}

// watch tells w of the provider's probes that it wants. The caller has the registry's lock: so the
// provider isn't disposed of, and its words are its own.
func (l *live) watch(w firings.Watcher) {
	for _, p := range l.probes {
		if !w.Wants(l.name, p.name) {
			continue
		}
		list := []*seat{{sink: &watching{always{"Watch", l}, w}}}
		if old := p.watched.Load(); old != nil {
			list = append(list, *old...)
		}
		p.watched.Store(&list)
		l.mark(p, watchBit, true)
	}
}

// unwatch is the opposite of watch, for one probe.
func (p *Probe) unwatch(w firings.Watcher) {
	old := p.watched.Load()
	if old == nil {
		return
	}
	left := slices.DeleteFunc(slices.Clone(*old), func(s *seat) bool { return s.sink.(*watching).to == w })
	if len(left) > 0 {
		p.watched.Store(&left)
		return
	}
	p.live.mark(p, watchBit, false)
	p.watched.Store(nil)
}

// tellAll tells the sinks of one list.
func (p *Probe) tellAll(list []*seat, v *values) {
	for _, s := range list {
		if !s.dead.Load() {
			s.tell(p, v)
		}
	}
}

// looks reports whether a sink of the list looks at the probe.
func (p *Probe) looks(list []*seat) bool {
	return slices.ContainsFunc(list, func(s *seat) bool { return !s.dead.Load() && s.enabled(p) })
}
