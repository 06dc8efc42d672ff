package probe

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/internal/program/firings"
)

type watched struct {
	Provider
	Start  P0
	Finish P2[int, string]
}

// A client collects what it is told of the probes that it wants.
type client struct {
	wants func(provider, probe string) bool
	mu    sync.Mutex
	told  []string
}

func (c *client) Wants(provider, probe string) bool { return c.wants(provider, probe) }

func (c *client) Fired(provider, probe string, args func() []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprint(provider, ":", probe, args()))
}

// watches has a client watch until the end of the test.
func watches(t *testing.T, wants func(provider, probe string) bool) *client {
	t.Helper()
	c := &client{wants: wants}
	firings.Watch(c)
	t.Cleanup(func() { firings.Unwatch(c) })
	return c
}

// A client is told of firings of providers that are registered before and after it begins, whatever
// their sinks are. It is told of none when it is gone.
func TestWatch(t *testing.T) {
	for _, factory := range []Factory{NoOp(), DefaultFactory()} {
		var p watched
		later := watched{Provider: Named("later")}
		register(t, &p, factory)
		p.Finish.Fire(1, "before")
		finish := watches(t, func(_, probe string) bool { return probe == "Finish" })
		all := watches(t, func(provider, _ string) bool { return provider != "nobody" })
		want(t, "Enabled while a client watches", p.Start.Enabled(), true)
		register(t, &later, factory)
		p.Start.Fire()
		p.Finish.Fire(2, "one")
		later.Finish.Fire(3, "two")
		firings.Unwatch(all)
		want(t, "Enabled when the client is gone", p.Start.Enabled(), false)
		want(t, "Enabled for the other client", p.Finish.Enabled(), true)
		p.Start.Fire()
		p.Dispose()
		p.Finish.Fire(4, "disposed of")
		register(t, &p, factory)
		p.Finish.Fire(5, "again")
		firings.Unwatch(finish)
		for _, one := range []*watched{&p, &later} {
			for i, word := range one.live.Load().words {
				want(t, fmt.Sprintf("word of probe %d afterwards", i), *word, uint32(0))
			}
			one.Finish.Fire(6, "after")
			one.Dispose()
		}
		want(t, "told of Finish", finish.told, []string{"watched:Finish[2 one]", "later:Finish[3 two]", "watched:Finish[5 again]"})
		want(t, "told of all", all.told, []string{"watched:Start[]", "watched:Finish[2 one]", "later:Finish[3 two]"})
	}
}

// The bit of clients is none of a sink's, however many sinks there are.
func TestWatchBesideSinks(t *testing.T) {
	var list []string
	var factories []Factory
	for i := 0; i < 20; i++ {
		factories = append(factories, RuntimeTrace())
	}
	var p watched
	register(t, &p, append(factories, collect(&list))...)
	before := *p.live.Load().words[0]
	c := watches(t, func(string, string) bool { return true })
	p.Start.Fire()
	firings.Unwatch(c)
	want(t, "the word afterwards", *p.live.Load().words[0], before)
	p.Start.Fire()
	want(t, "told to the client", c.told, []string{"watched:Start[]"})
	want(t, "told to the sink", list, []string{"Start[]", "Start[]"})
}

// What panics for one client ends only that client's watch of the provider's probe.
func TestWatchPanics(t *testing.T) {
	var p watched
	register(t, &p, NoOp())
	good := watches(t, func(string, string) bool { return true })
	panicking := &panics{}
	firings.Watch(panicking)
	defer firings.Unwatch(panicking)
	p.Start.Fire()
	p.Start.Fire()
	want(t, "calls of the one that panics", panicking.calls.Load(), int32(1))
	want(t, "told to the other", len(good.told), 2)
}

type panics struct{ calls atomic.Int32 }

func (*panics) Wants(string, string) bool { return true }
func (p *panics) Fired(string, string, func() []any) {
	p.calls.Add(1)
	panic("no")
}

// Clients and providers come and go while probes fire.
func TestWatchWhileFiring(t *testing.T) {
	var p watched
	register(t, &p)
	var firing, coming sync.WaitGroup
	var ended atomic.Bool
	firing.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer firing.Done()
			for n := 0; !ended.Load(); n++ {
				p.Finish.Fire(n, "text")
			}
		}()
	}
	coming.Add(2)
	go func() {
		defer coming.Done()
		for i := 0; i < 100; i++ {
			other := watched{Provider: Named("other")}
			if err := Register(&other); err != nil {
				t.Error(err)
			}
			other.Start.Fire()
			other.Dispose()
		}
	}()
	go func() {
		defer coming.Done()
		for i := 0; i < 100; i++ {
			c := &client{wants: func(string, string) bool { return true }}
			firings.Watch(c)
			p.Start.Fire()
			firings.Unwatch(c)
			c.mu.Lock()
			if len(c.told) == 0 {
				t.Error("a client was told nothing, want the firing of Start")
			}
			c.mu.Unlock()
		}
	}()
	coming.Wait()
	ended.Store(true)
	firing.Wait()
	want(t, "Enabled afterwards", p.Finish.Enabled(), false)
}
