// Package turns attributes what a program does to the tests of the top level that run meanwhile:
//
//	t := turns.New(take, func(test string, part *calls, overlapped bool) { ... })
//	t.Tell(format.TestBegins, "TestA")
//
// A turn is a moment at which such a test begins, waits, goes on or ends. What happens between two turns
// belongs to all that run then, with their subtests and the goroutines that they have left behind.
package turns

import (
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/program/fork"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Tests are those of the program. P is what a test has done since it ran.
type Tests[P any] struct {
	take func() (add func(*P))
	done func(test string, part *P, overlapped bool)
	pid  fork.Process // copies of the process (fork) are not followed

	mu      sync.Mutex
	running map[string]int // how many tests and subtests run, by the test of the top level
	parts   map[string]*part[P]
}

type part[P any] struct {
	did        P
	overlapped bool // others ran meanwhile
}

// New returns the tests of a program of which none runs yet. take is called at each turn, and returns
// what adds that which has happened since the turn before to a test. done is called when a test ends or
// waits. Neither runs beside the other.
func New[P any](take func() (add func(*P)), done func(test string, part *P, overlapped bool)) *Tests[P] {
	return &Tests[P]{take: take, done: done, pid: fork.This(), running: make(map[string]int), parts: make(map[string]*part[P])}
}

// Tell takes note of what happens to a test or a subtest.
func (t *Tests[P]) Tell(state format.TestState, name string) {
	more := 0
	switch state {
	case format.TestBegins, format.TestContinues:
		more = 1
	case format.TestPauses, format.TestPasses, format.TestFails, format.TestSkips, format.TestPanics:
		more = -1
	default:
		return
	}
	if !t.pid.Running() {
		return
	}
	top, _, _ := strings.Cut(name, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.running[top] + more
	if n > 0 && n != more {
		t.running[top] = n
		return // others of the same test run
	}
	t.turn()
	if n > 0 {
		t.running[top] = n
		return
	}
	delete(t.running, top)
	if p := t.parts[top]; p != nil {
		delete(t.parts, top)
		t.done(top, &p.did, p.overlapped)
	}
}

// turn attributes what has happened since the latest turn to the tests that run.
func (t *Tests[P]) turn() {
	add := t.take()
	for top := range t.running {
		p := t.parts[top]
		if p == nil {
			p = new(part[P])
			t.parts[top] = p
		}
		p.overlapped = p.overlapped || len(t.running) > 1
		add(&p.did)
	}
}
