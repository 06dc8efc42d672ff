// Package runtime, as waymark adds to it: values written by their types, in the
// encoding that package format describes. See waymark_values.go for what must hold.

package runtime

import (
	"internal/abi"
	"unsafe"
)

// A wmCursor writes values to a chunk.
type wmCursor struct {
	at    uintptr // where the next byte goes
	limit uintptr // nothing more is opened from here on
	end   uintptr // of the space; what would go beyond it is dropped, with all that follows
	gp    *g
}

//go:nosplit
func (c *wmCursor) byte(b byte) {
	if c.at < c.end {
		*(*byte)(unsafe.Pointer(c.at)) = b
		c.at++
	}
}

//go:nosplit
func (c *wmCursor) uvarint(v uint64) {
	if c.end-c.at < 10 {
		c.end = c.at
		return
	}
	at := c.at
	for v >= 0x80 {
		*(*byte)(unsafe.Pointer(at)) = byte(v) | 0x80
		v >>= 7
		at++
	}
	*(*byte)(unsafe.Pointer(at)) = byte(v)
	c.at = at + 1
}

//go:nosplit
func (c *wmCursor) varint(v int64) { c.uvarint(uint64(v)<<1 ^ uint64(v>>63)) }

func (c *wmCursor) u32(v uint32) {
	for i := 0; i < 32; i += 8 {
		c.byte(byte(v >> i))
	}
}

func (c *wmCursor) u64(v uint64) {
	c.u32(uint32(v))
	c.u32(uint32(v >> 32))
}

// bytes writes n bytes from p, which can be read.
//
//go:nosplit
func (c *wmCursor) bytes(p, n uintptr) {
	n = min(n, c.end-c.at)
	memmove(unsafe.Pointer(c.at), unsafe.Pointer(p), n)
	c.at += n
}

// count makes room for a number that is known later, see setCount.
func (c *wmCursor) count() uintptr {
	at := c.at
	c.byte(0)
	c.byte(0)
	return at
}

func (c *wmCursor) setCount(at uintptr, n int) {
	if at+2 <= c.end {
		*(*byte)(unsafe.Pointer(at)) = byte(n)
		*(*byte)(unsafe.Pointer(at + 1)) = byte(n >> 8)
	}
}

const wmMaxCount = 1<<16 - 1

// full reports whether the value has reached its limit.
//
//go:nosplit
func (c *wmCursor) full() bool { return c.at >= c.limit }

// room returns the number of bytes left until the limit.
//
//go:nosplit
func (c *wmCursor) room() uintptr {
	if c.full() {
		return 0
	}
	return c.limit - c.at
}

// top writes an argument or a result.
func (c *wmCursor) top(e *eface, pointer bool) {
	switch e._type {
	case nil:
		c.uvarint(wmTypeNil)
		return
	case abi.TypeFor[WMMasked]():
		c.uvarint(wmTypeMasked)
		return
	case abi.TypeFor[wmText]():
		t := (*wmText)(e.data)
		c.uvarint(wmTypeText)
		c.uvarint(uint64(wmTypeOf(uintptr(unsafe.Pointer(t.typ))).id))
		c.string(uintptr(unsafe.Pointer(unsafe.StringData(t.text))), len(t.text), true)
		return
	}
	if pointer {
		t := wmTypeOf(uintptr(unsafe.Pointer((*ptrtype)(unsafe.Pointer(e._type)).Elem)))
		if t.kind != abi.Interface {
			c.uvarint(uint64(t.id))
		}
		c.value(t, uintptr(e.data), wmCaptured.depth)
		t.makeProgram()
		return
	}
	t := wmTypeOf(uintptr(unsafe.Pointer(e._type)))
	p := uintptr(e.data)
	if t.direct {
		p = uintptr(unsafe.Pointer(&e.data))
	} else if wmReadable(c.gp, p, t.size) < t.size {
		t = &wmUnreadable // an argument that is an interface was made by the program
	}
	c.uvarint(uint64(t.id))
	c.value(t, p, wmCaptured.depth)
	t.makeProgram()
}

// value writes the value of type t at p, which can be read. Composite values are
// opened to the given depth.
func (c *wmCursor) value(t *wmType, p uintptr, depth int) {
	switch t.kind {
	case abi.Bool:
		c.byte(*(*byte)(unsafe.Pointer(p)) & 1)
	case abi.Int8:
		c.varint(int64(*(*int8)(unsafe.Pointer(p))))
	case abi.Int16:
		c.varint(int64(*(*int16)(unsafe.Pointer(p))))
	case abi.Int32:
		c.varint(int64(*(*int32)(unsafe.Pointer(p))))
	case abi.Int64:
		c.varint(*(*int64)(unsafe.Pointer(p)))
	case abi.Int:
		c.varint(int64(*(*int)(unsafe.Pointer(p))))
	case abi.Uint8:
		c.byte(*(*byte)(unsafe.Pointer(p)))
	case abi.Uint16:
		c.uvarint(uint64(*(*uint16)(unsafe.Pointer(p))))
	case abi.Uint32:
		c.uvarint(uint64(*(*uint32)(unsafe.Pointer(p))))
	case abi.Uint64:
		c.uvarint(*(*uint64)(unsafe.Pointer(p)))
	case abi.Uint, abi.Uintptr, abi.UnsafePointer:
		c.uvarint(uint64(wmWord(p)))
	case abi.Float32:
		c.u32(*(*uint32)(unsafe.Pointer(p)))
	case abi.Float64:
		c.u64(*(*uint64)(unsafe.Pointer(p)))
	case abi.Complex64:
		c.u32(*(*uint32)(unsafe.Pointer(p)))
		c.u32(*(*uint32)(unsafe.Pointer(p + 4)))
	case abi.Complex128:
		c.u64(*(*uint64)(unsafe.Pointer(p)))
		c.u64(*(*uint64)(unsafe.Pointer(p + 8)))
	case abi.String:
		c.string(wmWord(p), int(wmWord(p+wmWordSize)), false)
	case abi.Struct:
		c.structure(t, p, depth)
	case abi.Array:
		c.elements(t.elem, p, t.len, depth)
	case abi.Slice:
		c.slice(t, wmWord(p), int(wmWord(p+wmWordSize)), depth)
	case abi.Pointer:
		c.pointer(t, wmWord(p), depth)
	case abi.Interface:
		c.iface(t, wmWord(p), p+wmWordSize, depth)
	case abi.Map:
		c.mapping(t, wmWord(p), depth)
	case abi.Chan:
		c.header(wmWord(p), 2) // its length and capacity
	case abi.Func:
		c.function(wmWord(p))
	}
}

const wmWordSize = unsafe.Sizeof(uintptr(0))

func wmWord(p uintptr) uintptr { return *(*uintptr)(unsafe.Pointer(p)) }

// string writes a string that may be torn, unless it is known to be sound.
//
//go:nosplit
func (c *wmCursor) string(p uintptr, n int, sound bool) {
	take := min(uintptr(max(n, 0)), c.room())
	if !sound {
		take = wmReadable(c.gp, p, take)
	}
	if take == uintptr(n) {
		c.uvarint(uint64(take) << 1)
	} else {
		c.uvarint(uint64(take)<<1 | 1)
		c.uvarint(uint64(n))
	}
	c.bytes(p, take)
}

func (c *wmCursor) structure(t *wmType, p uintptr, depth int) {
	at, n := c.count(), 0
	if depth > 0 {
		for ; n < t.nfields && n < wmMaxCount && !c.full(); n++ {
			f := t.field(n)
			if !f.masked {
				c.value(f.typ, p+f.offset, depth-1)
			}
		}
	}
	c.setCount(at, n)
}

// elements writes up to n elements at p, as many as fit.
func (c *wmCursor) elements(elem *wmType, p, n uintptr, depth int) {
	at, i := c.count(), uintptr(0)
	if elem.kind == abi.Uint8 {
		i = min(n, c.room(), wmMaxCount)
		c.bytes(p, i)
	} else if depth > 0 {
		for ; i < n && i < wmMaxCount && !c.full(); i++ {
			c.value(elem, p+i*elem.size, depth-1)
		}
	}
	c.setCount(at, int(i))
}

func (c *wmCursor) slice(t *wmType, p uintptr, n, depth int) {
	if p == 0 {
		c.byte(0)
		return
	}
	elem := wmTypeOf(t.elemKey)
	take := uintptr(max(n, 0))
	if elem.size > 0 {
		most := min(take, c.room()) // no element takes less than a byte
		take = wmReadable(c.gp, p, most*elem.size) / elem.size
	}
	if elem.id == wmTypeUnread {
		take = 0
	}
	c.byte(1)
	c.uvarint(uint64(n))
	c.uvarint(uint64(elem.id))
	c.elements(elem, p, take, depth)
}

// pointer writes a pointer: with what it points to if that is to be opened, else the address. The
// outermost pointer has both: readers know by the address which object a method was called of.
func (c *wmCursor) pointer(t *wmType, p uintptr, depth int) {
	if p == 0 {
		c.byte(0)
		return
	}
	if depth > 0 && !c.full() {
		outermost := depth == wmCaptured.depth
		elem := wmTypeOf(t.elemKey)
		if elem.kind != abi.Struct && elem.kind != abi.Array {
			depth-- // these count themselves
		}
		if elem.id != wmTypeUnread && wmReadable(c.gp, p, elem.size) == elem.size {
			if outermost {
				c.byte(3)
				start := c.at
				c.uvarint(uint64(p))
				c.limit += c.at - start // not at the cost of what it points to
			} else {
				c.byte(2)
			}
			c.uvarint(uint64(elem.id))
			c.value(elem, p, depth)
			return
		}
	}
	c.byte(1)
	c.uvarint(uint64(p))
}

// iface writes an interface whose first word is tab and whose second is at p.
func (c *wmCursor) iface(t *wmType, tab, p uintptr, depth int) {
	if tab == 0 {
		c.uvarint(wmTypeNil)
		return
	}
	var dyn *wmType
	if t.methods {
		dyn = wmTypeOfItab(tab)
	} else {
		dyn = wmTypeOf(tab)
	}
	if !dyn.direct {
		p = wmWord(p)
		if wmReadable(c.gp, p, dyn.size) < dyn.size {
			dyn = &wmUnreadable
		}
	}
	c.uvarint(uint64(dyn.id))
	c.value(dyn, p, depth)
}

// header writes the first n words of what a map or a channel points to.
func (c *wmCursor) header(p uintptr, n uintptr) {
	switch {
	case p == 0:
		c.byte(0)
	case wmReadable(c.gp, p, n*wmWordSize) < n*wmWordSize:
		c.byte(1)
		c.uvarint(uint64(p))
	default:
		c.byte(2)
		for i := uintptr(0); i < n; i++ {
			c.uvarint(uint64(wmWord(p + i*wmWordSize)))
		}
	}
}

// function writes a function value: a pointer to a closure, which begins with the code's address.
func (c *wmCursor) function(p uintptr) {
	switch {
	case p == 0:
		c.uvarint(wmTypeNil)
	case wmReadable(c.gp, p, wmWordSize) < wmWordSize:
		c.uvarint(wmTypeUnread)
	default:
		c.uvarint(uint64(wmTypeOfFunction(wmWord(p)).id))
	}
}
