// Package runtime, as waymark adds to it: copies of values that may be kept.
//
// What the hooks get doesn't escape, so that a program allocates no more than without them. So a
// pointer among the values may lead to a variable on the goroutine's stack. Nothing in the heap may
// point there, and monitors may keep what they get. So whatever the values lead to on the stack is
// copied too; types say where pointers are. Heap memory is not looked at: it holds no pointers to
// the stack, and others may be writing to it. Only this goroutine can reach what is on this stack.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/maps"
	"unsafe"
)

// boxes returns copies of values in interfaces.
func (v *wmValues) boxes(gp *g, s *wmSlabs) []any {
	if v.n == 0 {
		return nil
	}
	out := s.lists.carve(v.n)
	c := wmCopier{gp: gp, slabs: s}
	for i := range out {
		e := *(*any)(add(v.list, uintptr(i)*unsafe.Sizeof(eface{})))
		if v.pointers {
			out[i] = c.variable(e)
		} else {
			out[i] = c.boxed(e)
		}
	}
	return out
}

// variable gives a copy of the variable that p, which holds a pointer, points to.
func (c *wmCopier) variable(p any) any {
	at, v := efaceOf(&p).data, wmTarget(p)
	e := efaceOf(&v)
	if e.data != at || e._type.IsDirectIface() || c.onStack(at) {
		return c.boxed(v)
	}
	// It has moved to the heap, where the program may go on to use it.
	to := newobject(e._type)
	typedmemmove(e._type, to, at)
	e.data = to
	return v
}

// A wmCopier copies what is on gp's stack. It knows what it has copied by the distance from the
// top of the stack. The distance stays the same when the stack moves, as it may with each call.
type wmCopier struct {
	gp    *g
	slabs *wmSlabs
	done  []wmCopied
}

type wmCopied struct {
	token uintptr
	typ   *_type
	n     int
	copy  unsafe.Pointer
}

func (c *wmCopier) onStack(p unsafe.Pointer) bool {
	return uintptr(p)-c.gp.stack.lo < c.gp.stack.hi-c.gp.stack.lo
}

// holds reports whether n elements of a size at p, which is on the stack, lie within it. Memory that others
// write meanwhile, or that nobody has written yet, may say that there are more.
func (c *wmCopier) holds(p unsafe.Pointer, size uintptr, n int) bool {
	return n >= 0 && (size == 0 || uintptr(n) <= (c.gp.stack.hi-uintptr(p))/size)
}

// boxed gives an interface whose value is in the heap.
func (c *wmCopier) boxed(v any) (out any) {
	from, to := efaceOf(&v), efaceOf(&out)
	switch t := from._type; {
	case t == nil:
	case t.IsDirectIface():
		word := from.data
		c.value(unsafe.Pointer(&to.data), unsafe.Pointer(&word), t)
		to._type = t
	case !c.onStack(from.data):
		return v // made by the program, or a constant
	case !c.holds(from.data, t.Size_, 1):
		to.data = newobject(t)
		to._type = t
	case !t.Pointers() && t.Size_ <= 64:
		words := c.slabs.words.carve(max(int(t.Size_+7)/8, 1))
		to.data = unsafe.Pointer(unsafe.SliceData(words))
		memmove(to.data, from.data, t.Size_)
		to._type = t
	case t.Kind() == abi.String:
		text := c.slabs.strings.carve(1)
		to.data = unsafe.Pointer(unsafe.SliceData(text))
		c.value(to.data, from.data, t)
		to._type = t
	default:
		to.data = c.array(from.data, t, 1)
		to._type = t
	}
	return out
}

// array gives a copy of n elements at p, which are on the stack.
func (c *wmCopier) array(p unsafe.Pointer, t *_type, n int) unsafe.Pointer {
	token := c.gp.stack.hi - uintptr(p)
	for _, d := range c.done {
		if d.token == token && d.typ == t && d.n == n {
			return d.copy
		}
	}
	to := newarray(t, n)
	c.done = append(c.done, wmCopied{token, t, n, to})
	if !t.Pointers() {
		memmove(to, p, t.Size_*uintptr(n))
		return to
	}
	for i := 0; i < n; i++ {
		c.value(add(to, uintptr(i)*t.Size_), add(p, uintptr(i)*t.Size_), t)
	}
	return to
}

// value copies a value of type t to a place in the heap.
func (c *wmCopier) value(to, from unsafe.Pointer, t *_type) {
	if !t.Pointers() {
		memmove(to, from, t.Size_)
		return
	}
	word := *(*unsafe.Pointer)(from)
	switch t.Kind() {
	case abi.Struct:
		fields := (*structtype)(unsafe.Pointer(t)).Fields
		for i := range fields {
			c.value(add(to, fields[i].Offset), add(from, fields[i].Offset), fields[i].Typ)
		}
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			c.value(add(to, i*a.Elem.Size_), add(from, i*a.Elem.Size_), a.Elem)
		}
	case abi.Pointer:
		if c.onStack(word) {
			if elem := (*ptrtype)(unsafe.Pointer(t)).Elem; c.holds(word, elem.Size_, 1) {
				word = c.array(word, elem, 1)
			} else {
				word = nil
			}
		}
		*(*unsafe.Pointer)(to) = word
	case abi.String:
		s := *(*string)(from)
		if c.onStack(word) {
			if c.holds(word, 1, len(s)) {
				s = string([]byte(s))
			} else {
				s = ""
			}
		}
		*(*string)(to) = s
	case abi.Slice:
		s := *(*slice)(from)
		if c.onStack(word) {
			if elem := (*slicetype)(unsafe.Pointer(t)).Elem; c.holds(word, elem.Size_, s.len) {
				s.array = c.array(s.array, elem, s.len)
				s.cap = s.len
			} else {
				s = slice{}
			}
		}
		*(*slice)(to) = s
	case abi.Interface:
		c.iface(to, from, t)
	case abi.Map:
		if c.onStack(word) {
			word = c.mapped(word, (*abi.MapType)(unsafe.Pointer(t)))
		}
		*(*unsafe.Pointer)(to) = word
	default:
		// Nobody knows what a closure holds, or what an unsafe.Pointer points to. Channels are never on a stack.
		if c.onStack(word) {
			word = nil
		}
		*(*unsafe.Pointer)(to) = word
	}
}

func (c *wmCopier) iface(to, from unsafe.Pointer, t *_type) {
	var v any
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) == 0 {
		v = *(*any)(from)
	} else if i := *(*iface)(from); i.tab != nil {
		e := efaceOf(&v)
		e._type, e.data = i.tab.Type, i.data
	}
	v = c.boxed(v)
	*(*unsafe.Pointer)(to) = *(*unsafe.Pointer)(from) // the type or the table, which is on no stack
	*(*unsafe.Pointer)(add(to, goarch.PtrSize)) = efaceOf(&v).data
}

// mapped gives a copy of a map that is on the stack.
func (c *wmCopier) mapped(p unsafe.Pointer, t *abi.MapType) unsafe.Pointer {
	m := (*maps.Map)(p)
	to := makemap(t, int(m.Used()), nil)
	var it maps.Iter
	it.Init(t, m)
	for it.Next(); it.Key() != nil; it.Next() {
		key, elem := newobject(t.Key), newobject(t.Elem)
		c.value(key, it.Key(), t.Key)
		c.value(elem, it.Elem(), t.Elem)
		typedmemmove(t.Elem, mapassign(t, to, key), elem)
	}
	return unsafe.Pointer(to)
}
