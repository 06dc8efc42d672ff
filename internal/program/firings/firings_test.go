package firings

import (
	"reflect"
	"testing"
)

type watcher struct{ name string }

func (*watcher) Wants(provider, probe string) bool  { return true }
func (*watcher) Fired(string, string, func() []any) {}

// A source notes what it is told.
type source struct{ told []string }

func (s *source) Watch(w Watcher)   { s.told = append(s.told, "watch "+w.(*watcher).name) }
func (s *source) Unwatch(w Watcher) { s.told = append(s.told, "unwatch "+w.(*watcher).name) }

// Who watches before there are probes is told to the source later. Unwatch is told once.
func TestWatch(t *testing.T) {
	old := current.source
	current.source = nil
	t.Cleanup(func() { current.source = old })
	early, gone, late := &watcher{"early"}, &watcher{"gone"}, &watcher{"late"}
	Watch(early)
	Watch(gone)
	Unwatch(gone)
	s := new(source)
	Register(s)
	Watch(late)
	for i := 0; i < 2; i++ {
		Unwatch(early)
		Unwatch(late)
	}
	if want := []string{"watch early", "watch late", "unwatch early", "unwatch late"}; !reflect.DeepEqual(s.told, want) {
		t.Errorf("the source was told %q, want %q", s.told, want)
	}
}
