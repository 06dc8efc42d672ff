package recorder

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/fork"
)

// A program makes any number of recordings, one after the other. It registers with the runtime
// once, and hands on to the latest recording what the runtime reports.
type program struct {
	rt     Hooks
	latest atomic.Pointer[Recorder]
	pid    atomic.Int64 // of the process that has registered, 0 if none has

	mu     sync.Mutex // guards the fields below and the beginning of recordings; locked before Recorder.mu
	atExit bool       // the latest recording is closed at the end of the program
	tests  string     // import path of the package whose tests the program runs
}

// running is the program that this package is linked into.
var running = program{rt: linked{}}

// errCopy says that the process is a copy. Threads that would have to stop weren't copied.
var errCopy = errors.New("this process is a copy (fork) of one that has recorded: start another process to record")

// Start begins a recording. While another one goes on, it returns fault.ErrRecording. The end of the
// program closes a recording that is still going on.
func Start(c Config) (*Recorder, error) { return running.start(c) }

// StartOf is Start for another program than the running one.
func StartOf(h Hooks, c Config) (*Recorder, error) { return (&program{rt: h}).start(c) }

func (p *program) start(c Config) (*Recorder, error) {
	p.listen()
	p.rt.Mute(true)
	defer p.rt.Mute(false)
	before := p.latest.Load()
	if before != nil && !before.pid.Running() {
		return nil, errCopy
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if before = p.latest.Load(); before != nil {
		if !before.Ended() {
			return nil, fault.ErrRecording
		}
		before.Close() // it may have ended by itself
	}
	r, err := p.record(c)
	if err == nil && !p.atExit {
		p.atExit = true
		p.rt.AtExit(p.end)
	}
	return r, err
}

// listen registers with the runtime, once.
func (p *program) listen() {
	if p.pid.CompareAndSwap(0, int64(fork.This())) {
		p.rt.OnTests(p.binary, p.test, p.alarm)
	}
}

// locked calls f with the lock, on a goroutine that is muted. In a copy of the process it does
// nothing: the lock may be held for ever there.
func (p *program) locked(f func()) {
	if !fork.Process(p.pid.Load()).Running() {
		return
	}
	p.rt.Mute(true)
	defer p.rt.Mute(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// binary notes whose tests the program runs, for the latest recording and for all that follow.
func (p *program) binary(importPath string) {
	p.locked(func() {
		p.tests = importPath
		if r := p.latest.Load(); r != nil {
			r.binary(importPath)
		}
	})
}

// test notes what happens to a test.
func (p *program) test(state uint8, name, text string, goroutine, clock uint64) {
	if r := p.latest.Load(); r != nil {
		r.test(state, name, text, goroutine, clock)
	}
}

// end closes the latest recording when the program ends. Its memory goes with the process. end
// does not stop the world to unmap it, as a goroutine that never stops must not keep the program
// from ending.
func (p *program) end() {
	r := p.latest.Load()
	if r == nil || !r.pid.Running() {
		return
	}
	var err error
	if r.locked(func() { err = r.close() }); err != nil {
		console.Say("complete %s: %v", r.path, err)
	}
}
