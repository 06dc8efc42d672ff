package main

import (
	"strings"

	"github.com/waymark-go/waymark/dev/servers/work"
	"github.com/waymark-go/waymark/trace"
)

// Counts are the calls of requests, by the way in which they were made.
type Counts struct {
	Requests int            // for which there is a trace
	Odd      int            // traces that are of no request, or of one that another trace is of
	Ways     map[string]Way // by name of the function that was called
	Lost     uint64         // calls for which there was no room, and of traces that were dropped
}

// A Way is a way of having a function called.
type Way struct {
	Calls   int // that were made
	Missing int // that are not on the tree of their request
	Wrong   int // that are on the tree of another one
}

// count looks for the calls of requests 0 to n-1 in their traces.
func count(c *trace.Collector, n int) Counts {
	counts := Counts{Ways: make(map[string]Way)}
	found := make(map[int]map[string]int) // calls by function, by request
	for _, t := range c.Traces() {
		calls := make(map[string]int)
		id, bits := 0, 0
		for _, a := range t.Actions() {
			if a.Kind != trace.ActionStart {
				continue
			}
			name := a.Func.Name[strings.LastIndexByte(a.Func.Name, '.')+1:]
			calls[name]++
			if name == "bit0" || name == "bit1" {
				if name == "bit1" {
					id |= 1 << bits
				}
				bits++
			}
		}
		if bits != work.Bits || id >= n || found[id] != nil {
			counts.Odd++
			continue
		}
		found[id] = calls
	}
	for id := range n {
		calls := found[id]
		if calls != nil {
			counts.Requests++
		}
		for _, w := range work.Ways {
			way, want, got := counts.Ways[w.Func], w.Calls(id), calls[w.Func]
			way.Calls += want
			way.Missing += max(want-got, 0)
			way.Wrong += max(got-want, 0)
			counts.Ways[w.Func] = way
		}
	}
	of := c.Counts()
	counts.Lost = of.LostCalls + of.Dropped
	return counts
}
