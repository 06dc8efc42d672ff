package probe

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// A Probe is a probe of a registered provider, without its type: by name, for lists, for programs
// that don't know the provider. After Dispose it does nothing.
type Probe struct {
	live     *live
	index    int
	field    string // of the struct
	name     string
	function string
	args     []argument
	watched  atomic.Pointer[[]*seat] // commands that watch; nil: none does
}

// Name returns the probe's name.
func (p *Probe) Name() string { return p.name }

// Provider returns the name of its provider.
func (p *Probe) Provider() string { return p.live.name }

// Module returns the name of the module that the provider says it belongs to, empty if it says none.
func (p *Probe) Module() string { return p.live.module }

// Function returns the name of the function that the probe says it is in, empty if it says none.
func (p *Probe) Function() string { return p.function }

// Types returns the types of the arguments.
func (p *Probe) Types() []reflect.Type {
	list := make([]reflect.Type, len(p.args))
	for i := range p.args {
		list[i] = p.args[i].typ
	}
	return list
}

// String returns the probe's name as tracers write it: provider, module, function and probe.
func (p *Probe) String() string {
	return p.live.name + ":" + p.live.module + ":" + p.function + ":" + p.name
}

// Enabled reports whether somebody looks at the probe.
func (p *Probe) Enabled() bool {
	if atomic.LoadUint32(p.live.words[p.index]) == 0 || !p.live.enter() {
		return false
	}
	defer p.live.leave()
	watched := p.watched.Load()
	return p.looks(p.live.sinks) || watched != nil && p.looks(*watched)
}

// Trigger fires the probe with these arguments. It returns an ArgumentError if their number or
// types are others than the probe's, whether somebody looks or not.
func (p *Probe) Trigger(args ...any) error {
	if len(args) != len(p.args) {
		return &ArgumentError{p.String(), fmt.Sprintf("%d arguments, want %d", len(args), len(p.args))}
	}
	var v values
	for i, arg := range args {
		want := p.args[i].typ
		box := reflect.New(want)
		if arg != nil || want.Kind() != reflect.Interface {
			given := reflect.ValueOf(arg)
			if !given.IsValid() || !given.Type().AssignableTo(want) {
				return &ArgumentError{p.String(), fmt.Sprintf("argument %d is of type %T, want %s", i, arg, want)}
			}
			box.Elem().Set(given)
		}
		v[i] = box.UnsafePointer()
	}
	if atomic.LoadUint32(p.live.words[p.index]) != 0 {
		p.fire(&v)
	}
	return nil
}

// fire tells the sinks.
func (p *Probe) fire(v *values) {
	l := p.live
	if !l.enter() {
		return
	}
	defer l.leave()
	p.tellAll(l.sinks, v)
	if list := p.watched.Load(); list != nil {
		p.tellAll(*list, v)
	}
}

// any returns the arguments as values of any type.
func (p *Probe) any(v *values) []any {
	list := make([]any, len(p.args))
	for i := range p.args {
		list[i] = p.args[i].value(v[i])
	}
	return list
}

// A state is what all fields of probes consist of.
type state struct {
	// word is not 0 while somebody looks; nil if the provider isn't registered. Others store it
	// atomically, and what it leads to; see cell.go. Only here and in Fire it is read without that, as
	// the race detector needn't know (go:norace). An old value is that of a moment ago, and what it
	// leads to is never unmapped.
	word  *uint32
	probe atomic.Pointer[Probe]
}

// Enabled reports whether somebody looks at the probe. A program asks before it prepares arguments
// that cost something.
//
//go:norace
func (s *state) Enabled() bool { return s.word != nil && *s.word != 0 && s.looked() }

// looked asks the sinks.
//
//go:noinline
func (s *state) looked() bool {
	p := s.probe.Load()
	return p != nil && p.Enabled()
}

// set makes the field fire p, or nothing.
func (s *state) set(p *Probe, word *uint32) {
	s.probe.Store(p)
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&s.word)), unsafe.Pointer(word))
}

// fire tells the sinks. Nobody keeps v, or what it points to.
func (s *state) fire(v unsafe.Pointer) {
	if p := s.probe.Load(); p != nil {
		p.fire((*values)(v))
	}
}

// values are where the arguments of a firing are.
type values [MaxArgs]unsafe.Pointer

// hide returns the address of a variable on the stack. That what it leads to is not kept can't be
// seen by the compiler, which would move each argument to the heap otherwise.
//
//go:nosplit
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// keep is never true. Assignments to kept say that sinks keep arguments, and what these point to.
// So what they point to must not be on a stack.
var (
	keep bool
	//lint:ignore U1000 It is only written, as said above.
	kept any
)
