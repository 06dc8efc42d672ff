package sampler

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"
)

var begin = time.Now()

// elapsed returns the time since the program began.
func elapsed() time.Duration { return time.Since(begin) }

// A source asks the runtime for the stacks of all goroutines. It knows two ways: a cheap one that
// returns the innermost calls only, and a deep one.
type source struct {
	records []runtime.StackRecord
	deep    deepStacks
}

// shallow is the number of calls that the cheap way returns.
const shallow = len(runtime.StackRecord{}.Stack0)

// cheap returns the innermost calls of all goroutines. The slice is used again.
func (s *source) cheap() []runtime.StackRecord {
	for {
		n, ok := runtime.GoroutineProfile(s.records)
		if ok {
			return s.records[:n]
		}
		// More goroutines may come before the next try.
		s.records = make([]runtime.StackRecord, n+n/8+16)
	}
}

// A deepStacks is the destination of a goroutine profile with debug=1. Each kind of stack is a line
// there, as in
//
//	2 @ 0x47dd0e 0x40a4d3 0x40a0f2
//
// with the number of goroutines and what runtime.Callers would return. Lines that begin otherwise,
// with the names of functions for example, are left out.
type deepStacks struct {
	line  []byte // the beginning of a line whose end isn't written yet
	visit func(stack []byte, goroutines int)
}

// each calls visit for each kind of stack. visit must not keep stack; pcs reads it.
func (d *deepStacks) each(visit func(stack []byte, goroutines int)) {
	d.line, d.visit = d.line[:0], visit
	if p := pprof.Lookup("goroutine"); p != nil {
		p.WriteTo(d, 1) // Write returns no error
	}
}

// Write implements io.Writer.
func (d *deepStacks) Write(b []byte) (int, error) {
	size := len(b)
	for {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			d.line = append(d.line, b...)
			return size, nil
		}
		line := b[:end]
		if len(d.line) > 0 {
			d.line = append(d.line, line...)
			line = d.line
		}
		if count, stack, ok := bytes.Cut(line, []byte(" @ ")); ok {
			if n, err := strconv.Atoi(string(count)); err == nil {
				d.visit(stack, n)
			}
		}
		d.line, b = d.line[:0], b[end+1:]
	}
}

// pcs returns the stack that a line of deepStacks stands for.
func pcs(stack []byte) []uintptr {
	var list []uintptr
	for _, field := range bytes.Fields(stack) {
		pc, err := strconv.ParseUint(string(field), 0, 64)
		if err != nil {
			break
		}
		list = append(list, uintptr(pc))
	}
	return list
}
