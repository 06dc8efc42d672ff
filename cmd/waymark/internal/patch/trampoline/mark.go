package trampoline

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Mark is what a function of the runtime's says of a goroutine: an event that is no call.
type Mark struct {
	Function string
	Code     uint64 // of the event
	exit     bool   // it is recorded where the function returns
	enter    func(*Writer)
	value    func(*Writer) // sets rax to the event's value
}

// Marks are all that there are.
var Marks = []Mark{
	{"runtime.gopanic", format.CodePanic, false, nil, (*Writer).frame},
	{"runtime.Goexit", format.CodeGoexit, false, nil, (*Writer).frame},
	{"runtime.recovery", format.CodeRecover, false, (*Writer).argument, (*Writer).recovered},
	{"runtime.goexit1", format.CodeEnd, false, nil, (*Writer).nothing},
	{"runtime.coroexit", format.CodeEnd, false, nil, (*Writer).nothing}, // of iter.Pull
	{"runtime.newproc1", format.CodeSpawn, true, (*Writer).current, (*Writer).made},
}

// Plan returns how the mark's function can be patched.
func (m *Mark) Plan(im *image.Image) (*displace.Plan, error) {
	f := im.Named(m.Function)
	switch {
	case f == nil:
		return nil, nil
	case m.exit:
		return displace.Exits(f)
	}
	return displace.Entry(f)
}

// AddMark writes the trampolines of a mark's plan. site has the counters of those that are dropped.
func (w *Writer) AddMark(p *displace.Plan, m *Mark, site uint32, bias uint64) []Trampoline {
	return w.places(p, bias, func(exit bool) event {
		e := event{site: site, exit: exit, word: func() {
			m.value(w)
			w.word(rdx, codeWord(m.Code))
			w.or(rax, rdx)
			w.store(at(r13, 8), rax)
		}}
		if m.enter != nil {
			e.enter = func() { m.enter(w) }
		}
		return e
	})
}

// argument: the goroutine is the function's first argument. It runs on the stack of the thread.
func (w *Writer) argument() { w.move(r14, rax) }

// current: the goroutine is the one for which the thread runs the function, on its own stack. There may be none.
func (w *Writer) current() {
	w.load(r14, at(r14, int(w.layout.GM)))
	w.load(r14, at(r14, int(w.layout.MCurrent)))
}

func (w *Writer) nothing() { w.clear(rax) }

// frame: where the function was called.
func (w *Writer) frame() { w.depth(rax) }

// recovered: the frame that has recovered, as the events of its call have it. They are read at the place of the
// return address; the runtime notes the address behind it.
func (w *Writer) recovered() {
	w.load(rdx, at(r14, int(w.layout.GPanic)))
	w.load32(rax, at(r14, int(w.layout.GStackHi)))
	w.load32(rdx, at(rdx, int(w.layout.PanicFP)))
	w.addTo(rax, 8)
	w.sub32(rax, rdx)
}

// made: the goroutine that newproc1 returns.
func (w *Writer) made() { w.load(rax, at(rax, int(w.layout.GGoid))) }
