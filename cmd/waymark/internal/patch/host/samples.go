//go:build linux && amd64

package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/sampler"
)

// Limits of samples.
const (
	mostSeen  = 500  // goroutines besides those that run
	mostNodes = 2000 // of a tree, which is one message
	limit     = 0.05 // of one CPU
)

// samples is a tree of what goroutines were seen to do. Nothing is patched for it.
type samples struct {
	h    *host
	root *pattern.Set // nil: all calls
	text string       // of root
	stop chan struct{}
	once sync.Once
	done chan struct{}

	tree  *callgraph.Tree
	nodes int
	other string // function that the root means, too
	err   error
	told  json.RawMessage // once it is closed
}

func (h *host) sample(w control.Watch) (control.Task, control.Change, error) {
	if w.Rate == 0 {
		w.Rate = sampler.DefaultRate
	}
	const fastest = 1000
	if !(w.Rate > 0 && w.Rate <= fastest) {
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: fmt.Sprintf("a rate of %g: want up to %d per second", w.Rate, fastest)}
	}
	root, err := compileRoot(w.Root)
	if err != nil {
		return nil, control.Change{}, &control.Error{Code: control.CodeRequest, Text: "--root: " + err.Error()}
	}
	s := &samples{h: h, root: root, text: w.Root, stop: make(chan struct{}), done: make(chan struct{})}
	s.tree = &callgraph.Tree{Root: new(callgraph.Node), From: time.Now(), Sampling: &callgraph.Sampling{Rate: w.Rate, Limit: limit, Max: mostSeen}}
	go s.run(time.Duration(float64(time.Second) / w.Rate))
	return s, control.Change{Functions: len(h.funcs)}, nil
}

// run samples until it is stopped.
func (s *samples) run(period time.Duration) {
	defer close(s.done)
	look := s.h.t.Sampler()
	last := s.tree.From
	for pause := period; ; {
		select {
		case <-s.stop:
			return
		case <-time.After(pause):
		}
		began := time.Now()
		one, err := look.Sample(mostSeen)
		if err == nil && !s.h.t.Alive() {
			err = stopped.ErrGone
		}
		if err != nil {
			s.err = err
			return
		}
		s.add(&one, began.Sub(last))
		last = began
		pause = max(period-time.Since(began), time.Duration(float64(max(one.CPU, one.Stopped))/limit))
		s.tree.Sampling.Cost += one.CPU
		if pause > period {
			s.tree.Sampling.Slowed++
		}
	}
}

// add adds a sample to the tree, which stands for the time since the last one.
func (s *samples) add(one *patch.Sample, took time.Duration) {
	t := s.tree.Sampling
	t.Samples++
	t.Goroutines = max(t.Goroutines, int64(one.Live))
	t.Seen += int64(one.Live)
	t.Counted += int64(one.Counted)
	for _, seen := range one.Seen {
		share := took
		if seen.State != patch.Runs && one.Counted > 0 { // each stands for several
			share = time.Duration(float64(took) * float64(one.Live) / float64(one.Counted))
		}
		s.count(seen, share)
	}
}

// count adds a goroutine's calls to the tree, from the root's outermost call down.
func (s *samples) count(seen patch.Seen, took time.Duration) {
	calls := shown(seen)
	if s.root != nil {
		root := len(calls) - 1
		for root >= 0 && !s.root.MatchName(patch.NameOf(calls[root].Function)) {
			root--
		}
		if root < 0 {
			return
		}
		if s.tree.Root.Func.Name == "" {
			s.tree.Root.Func = s.function(calls[root])
		}
		if f := s.function(calls[root]); f.Name != s.tree.Root.Func.Name {
			s.other = f.Name
			return
		}
		calls = calls[:root]
	} else if len(calls) == 0 {
		return
	}
	n := s.tree.Root
	spend(n, seen.State, took)
	for i := len(calls) - 1; i >= 0; i-- {
		f := s.function(calls[i])
		child := n.Child(f.Name)
		if child == nil {
			if s.nodes == mostNodes {
				s.tree.DroppedNodes++
				return
			}
			s.nodes++
			child = &callgraph.Node{Func: f}
			n.Children = append(n.Children, child)
		}
		n = child
		spend(n, seen.State, took)
	}
}

func spend(n *callgraph.Node, state patch.State, took time.Duration) {
	n.Samples++
	n.Total += took
	switch state {
	case patch.Runs:
		n.CPU += took
	case patch.Ready:
		n.Ready += took
	case patch.Syscall:
		n.Syscall += took
	}
}

// shown returns a goroutine's calls without those within the runtime, as package sampler's trees
// have them. Of a goroutine of the runtime's, there is the outermost call if it runs: collecting
// garbage, for instance. There is nothing of a thread without a goroutine: it looks for work.
func shown(seen patch.Seen) (calls []image.Frame) {
	for _, f := range seen.Stack {
		if !f.Wrapper && !names.IsMachinery(f.Function) && strings.Contains(f.Function, ".") { // gcWriteBarrier has none
			calls = append(calls, f)
		}
	}
	last := len(seen.Stack) - 1
	if len(calls) > 0 || seen.State != patch.Runs || last < 0 || seen.Stack[last].Function != "runtime.goexit" {
		return calls
	}
	for i := last - 1; i >= 0; i-- {
		if !seen.Stack[i].Wrapper {
			return seen.Stack[i : i+1]
		}
	}
	return nil
}

// compileRoot reads the pattern of the function whose calls are sampled, nil if it is empty.
func compileRoot(text string) (*pattern.Set, error) {
	if text == "" {
		return nil, nil
	}
	set, err := pattern.CompileSet([]string{text}, "")
	if err != nil {
		return nil, err
	}
	set.Loosen()
	return set, nil
}

// function describes the function of a call. Its line is known unless it is inlined.
func (s *samples) function(f image.Frame) callgraph.Func {
	to := callgraph.Func{Name: patch.NameOf(f.Function), Package: image.PackageOf(f.Function), File: f.File}
	if own := s.h.t.Image.Named(f.Function); own != nil && !f.Inlined {
		to.Line = own.Line()
	}
	return to
}

// Next implements control.Task.
func (s *samples) Next() (n control.News) {
	select {
	case <-s.done:
	default:
		return n
	}
	if err := s.Close(); err != nil {
		s.err = err
	}
	n.Done, n.Sampled = true, s.told
	if s.err != nil {
		n.Why = s.err.Error()
	}
	return n
}

// Close implements control.Task.
func (s *samples) Close() (err error) {
	s.once.Do(func() {
		close(s.stop)
		<-s.done
		s.tree.To = time.Now()
		switch {
		case s.err != nil && s.tree.Sampling.Samples == 0:
			err = s.err
		case s.tree.Sampling.Samples == 0:
			err = errors.New("no sample was taken: it has ended before the first one")
		case s.other != "":
			err = fmt.Errorf("%s means several functions: write the whole path of one of %s, %s", s.text, s.tree.Root.Func.Name, s.other)
		case s.root != nil && s.tree.Root.Func.Name == "":
			err = fmt.Errorf("%s was not seen: it did not run, its calls are too short for the rate, or there is no such function", s.text)
		default:
			s.tree.Sort()
			s.told, err = json.Marshal(s.tree)
		}
	})
	return err
}
