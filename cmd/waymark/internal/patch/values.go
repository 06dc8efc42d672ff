//go:build linux && amd64

package patch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// Values are what is copied of calls' arguments and results, and what is made of it.
type Values struct {
	Types  *capture.Types
	Limits capture.Limits

	t     *Target
	heap  image.Heap
	of    map[*image.Func]*capture.Signature // nil: nothing can be copied
	lines map[lineKey]*Line                  // by where the statement begins
	words map[uint64]uint64                  // of the process's memory, that never change

	described []format.Type
	types     map[uint32]value.Type // the same, as package value has them
	tell      map[any]func(format.Type)
}

// Values returns what is copied in the target's program. Values whose names or types have one of the words are masked, see
// format.LooksSecret. The error says why nothing can be: the program has no DWARF.
func (t *Target) Values(words []string, l capture.Limits) (*Values, error) {
	if t.Image.Arenas || fences(t.process.PID) {
		return nil, errors.New("the program was built with GOEXPERIMENT=arenas, or runs with GODEBUG=efence=1: memory that it has freed can't be read")
	}
	types, err := capture.Open(t.Image, words)
	if err != nil {
		return nil, err
	}
	heap, err := t.Image.Heap()
	if err != nil {
		return nil, err
	}
	v := &Values{Types: types, Limits: l, t: t, heap: heap, of: make(map[*image.Func]*capture.Signature), lines: make(map[lineKey]*Line), words: make(map[uint64]uint64)}
	v.tell, v.types = make(map[any]func(format.Type)), make(map[uint32]value.Type)
	types.Describe = func(t format.Type) {
		v.described = append(v.described, t)
		known := value.Type{ID: t.ID, Kind: reflect.Kind(t.Kind), Name: t.Name, Package: t.Package, Len: t.Len, Elem: t.Elem}
		for _, f := range t.Fields {
			known.Fields = append(known.Fields, value.Field(f))
		}
		v.types[t.ID] = known
		for _, tell := range v.tell {
			tell(t)
		}
	}
	return v, t.do(func() error {
		t.values = v
		if t.writer != nil {
			t.writer.UseHeap(heap, t.bias)
		}
		return nil
	})
}

// Failure returns where a function returns an error, see capture.Types.Failure. It returns nil also if the program has no
// DWARF.
func (t *Target) Failure(f *image.Func) *capture.Piece {
	p, known := t.failures[f]
	if !known && t.HasDWARF() {
		p = t.types.Failure(f)
		t.failures[f] = p
	}
	return p
}

// HasDWARF reports whether the program says what its functions return, so that errors are seen.
func (t *Target) HasDWARF() bool {
	if t.failures == nil {
		t.failures = make(map[*image.Func]*capture.Piece)
		if t.values != nil {
			t.types = t.values.Types
		} else {
			t.types, _ = capture.Open(t.Image, nil)
		}
	}
	return t.types != nil
}

// fences reports whether the runtime of a process makes memory that was freed unreadable.
func fences(pid int) bool {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, v := range bytes.Split(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(v, []byte("GODEBUG=")); ok && bytes.Contains(value, []byte("efence=1")) {
			return true
		}
	}
	return false
}

// Tell has somebody told of the types that values have, until Untell is called: of those that are known, and of others
// before their first value.
func (v *Values) Tell(who any, tell func(format.Type)) {
	for _, t := range v.described {
		tell(t)
	}
	v.tell[who] = tell
}

// Untell ends what Tell has begun.
func (v *Values) Untell(who any) { delete(v.tell, who) }

// List returns the values of Args or Results. Those before what is damaged are there, with an error.
func (v *Values) List(data []byte) ([]value.Value, error) {
	return value.Decode(data, func(id uint32) (value.Type, bool) {
		if t, ok := value.Predeclared(id); ok {
			return t, true
		}
		t, ok := v.types[id]
		return t, ok
	})
}

// Of returns what is copied of a function's calls; nil: nothing.
func (v *Values) Of(f *image.Func) *capture.Signature {
	s, known := v.of[f]
	if !known {
		s, _ = v.Types.Of(f, v.Limits)
		v.of[f] = s
	}
	return s
}

// Record adds to a record what is copied of a function's calls.
func (v *Values) Record(f *image.Func, r trampoline.Record) trampoline.Record {
	if s := v.Of(f); s != nil {
		r.Args, r.Results = s.Args, s.Results
	}
	return r
}

// OfSite returns what is copied at a site; nil: nothing. Of a line it is in Args.
func (v *Values) OfSite(s *Site) *capture.Signature {
	if s.Line != nil {
		return &capture.Signature{Args: s.Line.Locals.Plan}
	}
	return v.Of(s.Func)
}

// Args returns the arguments of a call, Results its results, as package format has values.
func (v *Values) Args(c *Call) []byte {
	if s := v.OfSite(c.Site); s != nil {
		return s.Args.Values(c.Args, v)
	}
	return nil
}

// Span returns the ids of the trace and of the span of OpenTelemetry that a context among the
// arguments has; empty: none has one.
func (v *Values) Span(c *Call) (trace, id string) {
	if s := v.OfSite(c.Site); s != nil {
		span := s.Args.Span(c.Args, v)
		return span.Trace, span.ID
	}
	return "", ""
}

// Labels returns the labels of runtime/pprof that the goroutine had where a call began, and how many
// more there were.
func (v *Values) Labels(c *Call) (list []capture.Label, more int) {
	if s := v.OfSite(c.Site); s != nil {
		return s.Args.Labels(c.Args)
	}
	return nil, 0
}

// Results returns the results of a call.
func (v *Values) Results(c *Call) []byte {
	if s := v.OfSite(c.Site); s != nil {
		return s.Results.Values(c.Results, v)
	}
	return nil
}

// Bias implements capture.Memory.
func (v *Values) Bias() uint64 { return v.t.bias }

// Word implements capture.Memory.
func (v *Values) Word(at uint64) (uint64, bool) {
	w, known := v.words[at]
	if !known {
		b, err := v.t.process.Bytes(at, 8)
		if err != nil { // the process has ended: what the compiler has written is in the file
			b = v.t.Image.Data(at-v.t.bias, 8)
		}
		if len(b) < 8 {
			return 0, false
		}
		w = binary.LittleEndian.Uint64(b)
		const most = 1 << 16 // a program may make up addresses
		if len(v.words) == most {
			clear(v.words)
		}
		v.words[at] = w
	}
	return w, true
}
