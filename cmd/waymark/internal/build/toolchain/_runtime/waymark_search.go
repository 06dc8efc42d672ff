// Package runtime, as waymark adds to it: a search for masked fields in values.

package runtime

import (
	"internal/abi"
	"unsafe"
)

// A wmSearch looks for masked fields in a value, wherever a method of the value's may reach. It
// reads in the way of wmCursor. Whatever it can't look at may hold some.
type wmSearch struct {
	gp   *g
	left int // how many values it looks at
}

const wmSearchedValues = 4096

// wmHoldsMasked reports whether a method of v may tell what is in masked fields.
func wmHoldsMasked(v *any) (found bool) {
	gp := getg()
	systemstack(func() {
		s := wmSearch{gp, wmSearchedValues}
		e := efaceOf(v)
		found = s.iface(wmTypeOf(uintptr(unsafe.Pointer(e._type))), uintptr(unsafe.Pointer(&e.data)), 0)
	})
	return found
}

// iface looks at a value of type t in an interface, whose second word is at p.
func (s *wmSearch) iface(t *wmType, p uintptr, nesting int) bool {
	if !t.direct {
		if p = wmWord(p); wmReadable(s.gp, p, t.size) < t.size {
			return true
		}
	}
	return s.value(t, p, nesting)
}

// value looks at the value of type t at p, which can be read.
func (s *wmSearch) value(t *wmType, p uintptr, nesting int) bool {
	if t.plain() {
		return false
	}
	if s.left--; s.left < 0 || nesting > wmMaxNesting {
		return true
	}
	switch t.kind {
	case abi.Struct:
		for i := 0; i < t.nfields; i++ {
			if f := t.field(i); f.masked || s.value(f.typ, p+f.offset, nesting+1) {
				return true
			}
		}
		return false
	case abi.Array:
		return s.elements(t.elem, p, t.len, nesting)
	case abi.Slice:
		return s.elements(wmTypeOf(t.elemKey), wmWord(p), wmWord(p+wmWordSize), nesting)
	case abi.Pointer:
		if wmWord(p) == 0 {
			return false
		}
		return s.elements(wmTypeOf(t.elemKey), wmWord(p), 1, nesting)
	case abi.Map:
		return s.mapping(t, wmWord(p), nesting)
	case abi.Interface:
		tab := wmWord(p)
		switch {
		case tab == 0:
			return false
		case t.methods:
			return s.iface(wmTypeOfItab(tab), p+wmWordSize, nesting+1)
		}
		return s.iface(wmTypeOf(tab), p+wmWordSize, nesting+1)
	}
	return true
}

// elements looks at n values at p, which may be anything.
func (s *wmSearch) elements(t *wmType, p, n uintptr, nesting int) bool {
	if n == 0 || t.plain() {
		return false
	}
	if n > uintptr(s.left) || wmReadable(s.gp, p, n*t.size) < n*t.size {
		return true
	}
	for i := uintptr(0); i < n; i++ {
		if s.value(t, p+i*t.size, nesting+1) {
			return true
		}
	}
	return false
}

// mapping looks at the entries of the map at p.
func (s *wmSearch) mapping(t *wmType, p uintptr, nesting int) bool {
	var it wmMapIter
	if p == 0 {
		return false
	}
	if !it.init(s.gp, t, p) {
		return it.head.used != 0 || it.head.writing != 0 || !it.read(&it.head)
	}
	for n := 0; ; n++ {
		key, elem, all := it.entry()
		if key == 0 {
			return !all || !it.sound(n, true)
		}
		if it.secret(key) || s.value(it.keys.typ, key, nesting+1) ||
			s.value(it.elems.typ, elem, nesting+1) {
			return true
		}
	}
}

// plain reports whether values of the type hold nothing that has a name. Functions and
// channels have no text.
func (t *wmType) plain() bool {
	switch t.kind {
	case abi.Invalid, abi.Array, abi.Interface, abi.Map, abi.Pointer, abi.Slice, abi.Struct:
		return false
	}
	return true
}
