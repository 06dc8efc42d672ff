package load

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
)

// maxTrace is how many spans a made-up trace has at most.
const maxTrace = 100_000

// A Graph says what made-up traces are like.
type Graph struct {
	Depth     int           // levels of calls
	Width     int           // calls that each call makes, but for those of the last level
	Functions int           // different ones
	Duration  time.Duration // of a trace's root

	// Skew says how unequal things are: with 0 all traces have one shape and duration, and all functions
	// are called equally often. Numbers of calls and durations are spread around their mean by a
	// log-normal distribution with the sigma Skew. The n-th function is called with a weight of 1/n to
	// the power of Skew.
	Skew float64
}

// Check reports what is wrong with a graph.
func (g *Graph) Check() error {
	switch {
	case g.Depth < 1, g.Width < 1, g.Functions < 1:
		return errors.New("depth, width and functions: want 1 or more")
	case g.Duration <= 0 || g.Duration > 24*time.Hour:
		return errors.New("duration: want one up to 24h, as in 10ms")
	case !(g.Skew >= 0 && g.Skew <= 5):
		return errors.New("skew: want 0 to 5")
	}
	n, level := 0, 1
	for range g.Depth {
		if n += level; n > maxTrace {
			return fmt.Errorf("depth %d, width %d: a trace would have more than %d spans", g.Depth, g.Width, maxTrace)
		}
		level *= min(g.Width, maxTrace)
	}
	return nil
}

// Made has made-up traces.
type Made struct {
	Graph
	resource *spans.Resource
	names    []string
	weights  []float64 // of functions, added up
	rng      *rand.Rand
	trace    [16]byte
	spans    []spans.Span
}

// Make returns the traces of a graph, which Check has found good. A generator in the same state gives
// the same traces.
func Make(g Graph, rng *rand.Rand) *Made {
	m := &Made{Graph: g, resource: spans.NewResource("waymark-load"), rng: rng}
	sum := 0.0
	for i := range g.Functions {
		m.names = append(m.names, fmt.Sprintf("load.f%d", i+1))
		sum += math.Pow(float64(i+1), -g.Skew)
		m.weights = append(m.weights, sum)
	}
	return m
}

// vary returns a number around x, which is the mean.
func (m *Made) vary(x float64) float64 {
	if m.Skew == 0 {
		return x
	}
	return x * math.Exp(m.Skew*m.rng.NormFloat64()-m.Skew*m.Skew/2)
}

func (m *Made) name() string {
	x := m.rng.Float64() * m.weights[len(m.weights)-1]
	return m.names[min(sort.SearchFloat64s(m.weights, x), len(m.names)-1)]
}

// Next makes a trace.
func (m *Made) Next(end int64) []spans.Span {
	newID(m.rng, m.trace[:8])
	newID(m.rng, m.trace[8:])
	m.spans = m.spans[:0]
	duration := min(m.vary(float64(m.Duration)), float64(24*time.Hour))
	m.call([8]byte{}, 1, end-int64(duration), end)
	return m.spans
}

// call makes a call and all that it makes. Each of n calls gets its part of the time, and the call
// itself as much as an average one.
func (m *Made) call(parent [8]byte, level int, start, end int64) {
	i := len(m.spans)
	m.spans = append(m.spans, spans.Span{Resource: m.resource, Trace: m.trace, Parent: parent, Name: m.name(), Start: start, End: end})
	newID(m.rng, m.spans[i].ID[:])
	if level == m.Depth {
		return
	}
	id := m.spans[i].ID
	n := min(int(m.vary(float64(m.Width))+m.rng.Float64()), maxTrace)
	if m.Skew == 0 {
		n = m.Width
	}
	parts := make([]float64, min(n, maxTrace-len(m.spans)))
	sum := 1.0
	for i := range parts {
		parts[i] = m.vary(1)
		sum += parts[i]
	}
	at, per := 0.0, float64(end-start)/sum
	for _, part := range parts {
		if len(m.spans) >= maxTrace {
			return
		}
		next := at + part*per
		m.call(id, level+1, start+int64(at), start+int64(next))
		at = next
	}
}
