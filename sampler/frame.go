package sampler

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A state is what a goroutine does.
type state byte

const (
	waitingState state = iota + 1 // it is parked
	activeState                   // it runs or is ready to run
	syscallState                  // it is in a system call or in C
)

// state returns the state of a goroutine by the program counter on top of its stack.
func (c *counter) state(pc uintptr) state {
	s := c.states[pc]
	if s == 0 {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		s = stateOf(f.Function)
		c.states[pc] = s
	}
	return s
}

// stateOf returns the state of a goroutine by the function on top of its stack. The runtime keeps
// the stack of a goroutine from where it called the scheduler.
func stateOf(function string) state {
	switch function {
	case "runtime.gopark", "runtime.goparkunlock", "runtime.coroswitch", "runtime.corostart", "runtime.notetsleepg":
		return waitingState
	case "runtime.cgocall", "runtime.asmcgocall":
		return syscallState
	}
	// Syscall, RawSyscall, syscallN and so on.
	if rest, ok := strings.CutPrefix(function, "syscall."); ok && strings.Contains(strings.ToLower(rest), "syscall") {
		return syscallState
	}
	if strings.HasPrefix(function, "internal/runtime/syscall") {
		return syscallState
	}
	return activeState
}

// ownFunction returns the name of a function that is on the stack of the sampler's goroutine only.
func ownFunction() string {
	return runtime.FuncForPC(reflect.ValueOf((*Sampler).run).Pointer()).Name()
}

// function returns the function of a frame.
func (c *counter) function(f *runtime.Frame) *callgraph.Func {
	known := c.functions[f.Function]
	if known == nil {
		path, _ := names.Split(f.Function)
		known = &callgraph.Func{Name: f.Function, Package: names.Unescape(path), File: f.File}
		if f.Func != nil {
			known.File, known.Line = f.Func.FileLine(f.Entry)
		}
		c.functions[f.Function] = known
	}
	return known
}

// A rootMatcher finds the function whose calls are sampled. The nil one finds none.
type rootMatcher struct {
	pattern *pattern.Set
	known   map[string]bool // by names, as there are many frames of few functions
}

// compileRoot reads Options.Root.
func compileRoot(text string) (*rootMatcher, error) {
	if text == "" {
		return nil, nil
	}
	set, err := pattern.CompileSet([]string{text}, "")
	if err != nil {
		return nil, fail(ErrOptions, "root %q: %v", text, err)
	}
	if set.HasGroups() {
		return nil, fail(ErrOptions, "root %q: samples know no groups: want a function, as in main.run", text)
	}
	set.Loosen()
	return &rootMatcher{set, make(map[string]bool)}, nil
}

// matches reports whether the function that the runtime calls name is meant.
func (r *rootMatcher) matches(name string) bool {
	if r == nil {
		return false
	}
	ok, known := r.known[name]
	if !known {
		ok = r.pattern.MatchName(name)
		r.known[name] = ok
	}
	return ok
}
