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

// A rootName is a function's name as users write it, without escapes, and methods as in T.M.
type rootName string

func parseRoot(text string) rootName {
	if text == "" {
		return ""
	}
	path, _ := names.Split(text)
	return rootName(names.Unescape(path) + "." + pattern.FromRuntime(path, text).Name)
}

// matches reports whether the function that the runtime calls name is meant.
func (r rootName) matches(name string) bool {
	if r == "" {
		return false
	}
	full := string(parseRoot(name))
	return full == string(r) || strings.HasSuffix(full, "/"+string(r))
}
