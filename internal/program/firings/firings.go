// Package firings lets commands watch the probes of package probe. It stands between both, so that a
// program without probes doesn't link package probe.
//
//	firings.Watch(w)         // w is told of firings of the probes that it wants
//	defer firings.Unwatch(w) // the probes are as before
package firings

import (
	"slices"
	"sync"
)

// A Watcher is told of firings.
type Watcher interface {
	// Wants reports whether Fired is to be called for firings of a probe. It is called once for each
	// probe of a provider, when the watch begins or the provider is registered.
	Wants(provider, probe string) bool

	// Fired is called on the goroutine that fires, on several at the same time. args returns the
	// arguments, and must not be called after Fired has returned.
	Fired(provider, probe string, args func() []any)
}

// A Source has probes, now or later.
type Source interface {
	// Watch tells w of firings from now on, until Unwatch.
	Watch(w Watcher)
	// Unwatch ends that. Firings in progress may still be told.
	Unwatch(w Watcher)
}

var current struct {
	mu       sync.Mutex
	source   Source // nil: the program has no probes, or not yet
	watchers []Watcher
}

// Register makes the program's probes known. Package probe calls it once, when it is initialised:
// a command may watch already.
func Register(s Source) {
	current.mu.Lock()
	defer current.mu.Unlock()
	current.source = s
	for _, w := range current.watchers {
		s.Watch(w)
	}
}

// Watch has w told of firings until Unwatch.
func Watch(w Watcher) {
	current.mu.Lock()
	defer current.mu.Unlock()
	current.watchers = append(current.watchers, w)
	if current.source != nil {
		current.source.Watch(w)
	}
}

// Unwatch ends what Watch has begun. It does nothing if w doesn't watch.
func Unwatch(w Watcher) {
	current.mu.Lock()
	defer current.mu.Unlock()
	at := slices.Index(current.watchers, w)
	if at < 0 {
		return
	}
	current.watchers = slices.Delete(current.watchers, at, at+1)
	if current.source != nil {
		current.source.Unwatch(w)
	}
}
