package agent

import (
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
)

// A selection is the functions that patterns name.
type selection struct {
	mu      sync.Mutex
	in, out *pattern.Set
	names   []string // of the functions that has was asked about, until each pattern has named one
}

// selections are all selections of the program.
var selections []*selection

// newSelection returns nil if there are no patterns: all functions are meant.
func newSelection(include, exclude []string) (*selection, error) {
	if len(include)+len(exclude) == 0 {
		return nil, nil
	}
	in, err := pattern.CompileSet(include, "")
	if err != nil {
		return nil, err
	}
	out, err := pattern.CompileSet(exclude, "")
	if err != nil {
		return nil, err
	}
	in.Loosen() // packages come one by one
	out.Loosen()
	s := &selection{in: in, out: out}
	selections = append(selections, s)
	return s, nil
}

func (s *selection) has(f *function.Func) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := pattern.Of(f)
	in, _ := s.in.Match(name)
	out, _ := s.out.Match(name)
	if s.in.AllMatched() && s.out.AllMatched() {
		s.names = nil
	} else {
		s.names = append(s.names, name.Names()...)
	}
	return (in || s.in.Empty()) && !out
}

// unmatched returns a line for each pattern that has named nothing, with a name that comes near.
func unmatched() (list []string) {
	for _, s := range selections {
		s.mu.Lock()
		for _, p := range append(s.in.Unmatched(), s.out.Unmatched()...) {
			if strings.HasPrefix(p, "@") {
				list = append(list, p+": "+pattern.NoGroup(p, s.names))
				continue
			}
			list = append(list, p+" names no function that was instrumented"+pattern.IsIt(p, s.names, 1))
		}
		s.mu.Unlock()
	}
	return list
}
