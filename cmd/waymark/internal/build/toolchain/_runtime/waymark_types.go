// Package runtime, as waymark adds to it: descriptions of the types of values.
//
// A type gets an id and a description when a value of it is first recorded. The
// descriptions lie in chunks of the arena, from where they get into the trace file.
// After a kill nobody else could tell what the types were. Layout and masked fields
// are kept here, so that writing a value never looks at the compiler's types again.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmType is what is needed to write values of a type. It lasts until WMRetire.
type wmType struct {
	_        sys.NotInHeap
	id       uint32
	kind     abi.Kind // Invalid: a function
	direct   bool     // an interface holds the value itself, not a pointer to it
	methods  bool     // an interface with methods
	size     uintptr
	elemKey  uintptr // address of the element's type: of pointers, slices and maps, described when needed
	keyKey   uintptr // the same of a map's keys
	groupKey uintptr // and of its groups of entries
	elem     *wmType // of arrays
	len      uintptr // of arrays
	fields   *wmField
	nfields  int
	secret   bool       // its values aren't to be seen
	program  *wmProgram // that writes values; nil: none has been made
}

type wmField struct {
	_      sys.NotInHeap
	typ    *wmType
	offset uintptr
	masked bool
}

func (t *wmType) field(i int) *wmField {
	return (*wmField)(add(unsafe.Pointer(t.fields), uintptr(i)*unsafe.Sizeof(wmField{})))
}

// wmUnreadable stands for what is no type, or for one that there was no room to describe.
var wmUnreadable = wmType{id: wmTypeUnread}

// wmTypes finds descriptions by address: of a type, of an interface table, of a
// function's code. Reading takes no lock: a slot's key is stored last, and when
// the table gets too small a larger one takes its place.
var wmTypes wmTypesFound

type wmTypesFound struct {
	lock  mutex
	table *wmTypeTable
	n     uintptr
	id    uint32
	chunk uintptr // that descriptions are written to
	short bool    // no chunk was free
	era   uint32  // grows when all descriptions are forgotten

	chunks  [wmMostTypeChunks]uintptr // with the descriptions, the first ones
	nchunks int                       // in all

	// Without a recording descriptions lie in memory that is used again in the next era.
	own    [wmMostTypeChunks]uintptr // chunks; 0: none was needed yet
	locked bool                      // a recording begins, which must have all descriptions
}

// wmMostTypeChunks is in how many chunks descriptions may lie for traces to have values.
const wmMostTypeChunks = 16

type wmTypeTable struct {
	_    sys.NotInHeap
	mask uintptr
	// mask+1 slots follow
}

type wmTypeSlot struct {
	_   sys.NotInHeap
	key uintptr
	typ *wmType
}

func (t *wmTypeTable) slot(i uintptr) *wmTypeSlot {
	return (*wmTypeSlot)(add(unsafe.Pointer(t), unsafe.Sizeof(wmTypeTable{})+(i&t.mask)*unsafe.Sizeof(wmTypeSlot{})))
}

func wmNewTypeTable(slots uintptr) *wmTypeTable {
	t := (*wmTypeTable)(wmTypeMemory(unsafe.Sizeof(wmTypeTable{}) + slots*unsafe.Sizeof(wmTypeSlot{})))
	t.mask = slots - 1
	return t
}

func wmHash(key uintptr) uintptr { return key>>4 ^ key>>12 }

// wmFind gives the description at key, nil if there is none yet.
//
//go:nosplit
func wmFind(key uintptr) *wmType {
	t := (*wmTypeTable)(atomic.Loadp(unsafe.Pointer(&wmTypes.table)))
	for i := wmHash(key); ; i++ {
		s := t.slot(i)
		switch atomic.Loaduintptr(&s.key) {
		case key:
			return s.typ
		case 0:
			return nil
		}
	}
}

// wmFindType is wmFind for the address of a type or an interface table. An address that
// isn't one may be that of a function.
//
//go:nosplit
func wmFindType(key uintptr) *wmType {
	t := wmFind(key)
	if t != nil && t.kind == abi.Invalid {
		return &wmUnreadable
	}
	return t
}

// wmAdd enters a description. The lock is held.
func wmAdd(key uintptr, typ *wmType) *wmType {
	t := wmTypes.table
	if wmTypes.n >= (t.mask+1)/2 {
		larger := wmNewTypeTable(2 * (t.mask + 1))
		for i := uintptr(0); i <= t.mask; i++ {
			if s := t.slot(i); s.key != 0 {
				larger.put(s.key, s.typ)
			}
		}
		t = larger
		atomic.StorepNoWB(unsafe.Pointer(&wmTypes.table), unsafe.Pointer(t))
	}
	t.put(key, typ)
	wmTypes.n++
	return typ
}

func (t *wmTypeTable) put(key uintptr, typ *wmType) {
	i := wmHash(key)
	for t.slot(i).key != 0 {
		i++
	}
	s := t.slot(i)
	s.typ = typ
	atomic.Storeuintptr(&s.key, key)
}

// wmTypeOf gives the description of the type at key, which may be anything.
func wmTypeOf(key uintptr) *wmType {
	if t := wmFindType(key); t != nil {
		return t
	}
	t := &wmUnreadable
	lock(&wmTypes.lock)
	if wmTypesFit(wmFewTypes) {
		wmTypes.short = false
		t = wmDescribe(key, 0)
		if t == &wmUnreadable && !wmTypes.short && (wmModuleOf(key, 1) != nil || wmMade(key)) {
			wmAdd(key, t) // nor will it be another time, and each takes memory
		}
	}
	unlock(&wmTypes.lock)
	return t
}

// wmTypeOfItab gives the description of the type of an interface table, if key is one.
func wmTypeOfItab(key uintptr) *wmType {
	if t := wmFindType(key); t != nil {
		return t
	}
	table := (*itabTableType)(atomic.Loadp(unsafe.Pointer(&itabTable)))
	for i := uintptr(0); i < table.size; i++ {
		m := *(**itab)(add(unsafe.Pointer(&table.entries), i*wmWordSize))
		if uintptr(unsafe.Pointer(m)) == key {
			t := wmTypeOf(uintptr(unsafe.Pointer(m.Type)))
			lock(&wmTypes.lock)
			if t != &wmUnreadable && wmFindType(key) == nil {
				wmAdd(key, t)
			}
			unlock(&wmTypes.lock)
			return t
		}
	}
	return &wmUnreadable
}

// wmTypeOfFunction gives the description of the function whose code begins at pc, if it does.
func wmTypeOfFunction(pc uintptr) *wmType {
	if t := wmFind(pc); t != nil {
		return t
	}
	f := findfunc(pc)
	if !f.valid() || f.entry() != pc {
		return &wmUnreadable
	}
	lock(&wmTypes.lock)
	t := wmDescribeFunction(pc, funcNameForPrint(funcname(f)))
	unlock(&wmTypes.lock)
	return t
}
