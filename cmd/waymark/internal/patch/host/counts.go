//go:build linux && amd64

package host

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/internal/program/control"
)

// counts has the number of calls since it began. They are counted in the process: only of those whose functions are
// recorded for others are there events.
type counts struct {
	*task
	before map[*patch.Site]uint64 // what was counted when it began, and calls that there was no room for

	mu   sync.Mutex
	told map[*patch.Site]uint64 // calls of which there were events
}

func newCounts(t *task) (watcher, error) {
	c := &counts{task: t, told: make(map[*patch.Site]uint64)}
	var err error
	c.before, err = c.counted()
	return c, err
}

// counted returns what was counted until now, and calls that there was no room for. It is for who has the lock.
func (c *counts) counted() (map[*patch.Site]uint64, error) {
	counted, err := c.h.t.Counted()
	if err != nil {
		return nil, err
	}
	for s, n := range c.h.t.Drops() {
		counted[s] += n
	}
	return counted, nil
}

func (c *counts) begin(call *patch.Call) {
	if c.has(call) {
		c.mu.Lock()
		c.told[call.Site]++
		c.mu.Unlock()
	}
}

func (c *counts) end(*patch.Call) {}

// Next implements control.Task.
func (c *counts) Next() (n control.News) {
	c.last()
	c.h.mu.Lock()
	now, err := c.counted()
	c.h.mu.Unlock()
	if err != nil {
		n.Notes = append(n.Notes, "calls were not counted: "+err.Error())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	of := make(map[string]uint64)
	for s, calls := range c.told {
		of[s.Name()] += calls
	}
	for s, calls := range now {
		if c.known[s.Func] {
			of[s.Name()] += calls - c.before[s]
		}
	}
	for name, calls := range of {
		if calls > 0 {
			n.Functions = append(n.Functions, control.Numbers{Function: name, Calls: calls})
			n.Hits += calls
		}
	}
	slices.SortFunc(n.Functions, func(a, b control.Numbers) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Function, b.Function))
	})
	n.Functions = n.Functions[:min(len(n.Functions), mostRows)]
	c.done(&n)
	return n
}

// Close implements control.Task.
func (c *counts) Close() error { return c.h.stop(c) }
