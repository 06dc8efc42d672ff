package inspect

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/sampler"
)

// samples is a sampler that runs until it is closed, and then has a tree.
type samples struct {
	sampler *sampler.Sampler
	once    sync.Once
	mu      sync.Mutex
	tree    json.RawMessage
}

func newSamples(w control.Watch) (control.Task, error) {
	if err := maySample(); err != nil {
		return nil, err
	}
	s, err := sampler.Start(sampler.Options{Root: w.Root, Rate: w.Rate})
	switch {
	case errors.Is(err, sampler.ErrOptions):
		return nil, &control.Error{Code: control.CodeRequest, Text: err.Error()}
	case err != nil:
		return nil, err
	}
	return &samples{sampler: s}, nil
}

// maySample returns what policies have against commands that see all functions.
func maySample() error {
	owner := switchboard.Default.Join("Sample", switchboard.Command)
	defer owner.Close()
	return Refused(owner.Check(switchboard.Wish{Want: rt.Timed, Kind: "Sample"}))
}

// Next implements control.Task.
func (s *samples) Next() control.News {
	s.mu.Lock()
	defer s.mu.Unlock()
	return control.News{Sampled: s.tree, Done: s.tree != nil}
}

// Close implements control.Task.
func (s *samples) Close() (err error) {
	s.once.Do(func() {
		tree, stopped := s.sampler.Stop()
		if err = maySample(); err != nil { // the policy is younger than the sampler
			return
		}
		if err = stopped; err != nil {
			return
		}
		b, problem := fit(tree, mostSampled)
		err = problem
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tree = b
	})
	return err
}

// fit returns a tree as JSON of at most so many bytes, without the nodes that took the least time if
// there are too many.
func fit(t *callgraph.Tree, most int) ([]byte, error) {
	for least := max(t.Root.Total/10_000, 1); ; least *= 2 {
		b, err := json.Marshal(t)
		if err != nil || len(b) <= most || len(t.Root.Children) == 0 {
			return b, err
		}
		t.DroppedNodes += drop(t.Root, int64(least))
	}
}

// drop removes the nodes below n that took less than least ns, and returns how many these are.
func drop(n *callgraph.Node, least int64) (dropped int64) {
	kept := n.Children[:0]
	for _, c := range n.Children {
		if int64(c.Total) < least {
			dropped += size(c)
			continue
		}
		dropped += drop(c, least)
		kept = append(kept, c)
	}
	clear(n.Children[len(kept):])
	n.Children = kept
	return dropped
}

// size returns the number of nodes of the tree whose root n is.
func size(n *callgraph.Node) int64 {
	sum := int64(1)
	for _, c := range n.Children {
		sum += size(c)
	}
	return sum
}
