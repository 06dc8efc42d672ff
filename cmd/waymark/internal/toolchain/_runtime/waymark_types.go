// Package runtime, as waymark adds to it: descriptions of the types of values.
//
// A type gets an id and a description when a value of it is first recorded. The
// descriptions lie in chunks of the arena, from where they get into the trace file:
// after a kill nobody else could tell what the types were. Layout and masked fields
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
var wmTypes struct {
	lock  mutex
	table *wmTypeTable
	n     uintptr
	id    uint32
	chunk uintptr // that descriptions are written to
	short bool    // no chunk was free
}

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

// wmDescribeFunction describes the function at pc. The lock is held.
func wmDescribeFunction(pc uintptr, name string) *wmType {
	if t := wmFind(pc); t != nil {
		return t
	}
	if !wmTypesFit(wmFewTypes + uintptr(len(name))) {
		return &wmUnreadable
	}
	t := (*wmType)(wmTypeMemory(unsafe.Sizeof(wmType{})))
	w := wmOpenEntry()
	w.uvarint(uint64(w.id))
	w.byte(wmKindFunction)
	w.name(wmName{uintptr(unsafe.Pointer(unsafe.StringData(name))), uintptr(len(name))})
	w.name(wmName{})
	if !w.close() {
		return &wmUnreadable
	}
	t.id = w.id
	return wmAdd(pc, t)
}

// wmMaxNesting bounds how deep structs and arrays lie in each other, by value.
const wmMaxNesting = 20

// wmDescribe describes the type at key and those that its values hold by value,
// which come first. The lock is held. Not a word of what it reads is trusted: key may
// come from a torn interface.
func wmDescribe(key uintptr, nesting int) *wmType {
	if t := wmFindType(key); t != nil {
		return t
	}
	md := wmModuleOf(key, unsafe.Sizeof(_type{}))
	if key%wmWordSize != 0 || nesting > wmMaxNesting || md == nil && !wmMade(key) {
		return &wmUnreadable
	}
	typ := (*_type)(unsafe.Pointer(key))
	t := (*wmType)(wmTypeMemory(unsafe.Sizeof(wmType{})))
	t.kind, t.size, t.direct = typ.Kind(), typ.Size_, typ.IsDirectIface()
	if !t.describeElements(key, nesting) || t.direct && t.size != wmWordSize {
		return &wmUnreadable
	}
	var name, pkg wmName // what package reflect has made has none that could be found here
	if md != nil {
		name, pkg = md.wmNameAt(md.types+uintptr(typ.Str)), md.wmPackage(typ)
		if typ.TFlag&abi.TFlagExtraStar != 0 && name.len > 0 {
			name.p, name.len = name.p+1, name.len-1
		}
	}
	if pkg.len == 0 && typ.TFlag&abi.TFlagNamed != 0 && (t.kind <= abi.Complex128 || t.kind == abi.String) || t.kind == abi.UnsafePointer && pkg.len == 0 {
		t.id = uint32(t.kind) // predeclared
		return wmAdd(key, t)
	}
	if !wmTypesFit(name.len + pkg.len + uintptr(t.nfields)*wmFieldBytes + wmFewTypes/4) {
		return &wmUnreadable
	}
	w := wmOpenEntry()
	w.uvarint(uint64(w.id))
	w.byte(byte(t.kind))
	w.name(name)
	w.name(pkg)
	switch t.kind {
	case abi.Array:
		w.uvarint(uint64(t.len))
		w.uvarint(uint64(t.elem.id))
	case abi.Struct:
		w.uvarint(uint64(t.nfields))
		for i := 0; i < t.nfields; i++ {
			name, _ := wmFieldName(key, i)
			w.name(name)
			f := t.field(i)
			w.uvarint(uint64(f.typ.id))
			masked := byte(0)
			if f.masked {
				masked = 1
			}
			w.byte(masked)
		}
	}
	if !w.close() {
		return &wmUnreadable
	}
	t.id = w.id
	return wmAdd(key, t)
}

// describeElements fills in what t is made of.
func (t *wmType) describeElements(key uintptr, nesting int) bool {
	if t.kind > abi.UnsafePointer || wmSizes[t.kind] != 0 && t.size != wmSizes[t.kind] {
		return false
	}
	switch t.kind {
	case abi.Pointer:
		if !wmTypeReadable(key, unsafe.Sizeof(ptrtype{})) {
			return false
		}
		t.elemKey = uintptr(unsafe.Pointer((*ptrtype)(unsafe.Pointer(key)).Elem))
		return true
	case abi.Slice:
		if !wmTypeReadable(key, unsafe.Sizeof(slicetype{})) {
			return false
		}
		t.elemKey = uintptr(unsafe.Pointer((*slicetype)(unsafe.Pointer(key)).Elem))
		return true
	case abi.Map:
		if !wmTypeReadable(key, unsafe.Sizeof(abi.MapType{})) {
			return false
		}
		m := (*abi.MapType)(unsafe.Pointer(key))
		t.keyKey, t.elemKey = uintptr(unsafe.Pointer(m.Key)), uintptr(unsafe.Pointer(m.Elem))
		t.groupKey = uintptr(unsafe.Pointer(m.Group))
		return true
	case abi.Interface:
		if !wmTypeReadable(key, unsafe.Sizeof(interfacetype{})) {
			return false
		}
		t.methods = len((*interfacetype)(unsafe.Pointer(key)).Methods) > 0
		return true
	case abi.Array:
		if !wmTypeReadable(key, unsafe.Sizeof(arraytype{})) {
			return false
		}
		a := (*arraytype)(unsafe.Pointer(key))
		t.len = a.Len
		t.elem = wmDescribe(uintptr(unsafe.Pointer(a.Elem)), nesting+1)
		return t.elem != &wmUnreadable && (t.elem.size == 0 || t.len <= t.size/t.elem.size)
	case abi.Struct:
		if !wmTypeReadable(key, unsafe.Sizeof(structtype{})) {
			return false
		}
		fields := (*structtype)(unsafe.Pointer(key)).Fields
		if len(fields) == 0 {
			return true
		}
		p := uintptr(unsafe.Pointer(unsafe.SliceData(fields)))
		if len(fields) > wmMaxCount || !wmTypeReadable(p, uintptr(len(fields))*unsafe.Sizeof(fields[0])) {
			return false
		}
		t.nfields = len(fields)
		t.fields = (*wmField)(wmTypeMemory(uintptr(t.nfields) * unsafe.Sizeof(wmField{})))
		for i := range fields {
			f := t.field(i)
			f.typ = wmDescribe(uintptr(unsafe.Pointer(fields[i].Typ)), nesting+1)
			f.offset = fields[i].Offset
			if f.typ == &wmUnreadable || f.offset > t.size || f.typ.size > t.size-f.offset {
				return false
			}
			name, ok := wmFieldName(key, i)
			if !ok {
				return false
			}
			f.masked = wmLooksSecret(unsafe.String((*byte)(unsafe.Pointer(name.p)), int(name.len)), wmCaptured.redact)
		}
		return true
	}
	return wmSizes[t.kind] != 0
}

// wmSizes are the sizes of values by kind, bytes. A value is read only where so much
// can be read, and what isn't a type may claim any size. 0: it depends on the type.
var wmSizes = [...]uintptr{
	abi.Bool: 1, abi.Int8: 1, abi.Int16: 2, abi.Int32: 4, abi.Int64: 8, abi.Int: wmWordSize,
	abi.Uint8: 1, abi.Uint16: 2, abi.Uint32: 4, abi.Uint64: 8, abi.Uint: wmWordSize, abi.Uintptr: wmWordSize,
	abi.Float32: 4, abi.Float64: 8, abi.Complex64: 8, abi.Complex128: 16,
	abi.Pointer: wmWordSize, abi.UnsafePointer: wmWordSize, abi.Map: wmWordSize, abi.Chan: wmWordSize, abi.Func: wmWordSize,
	abi.String: 2 * wmWordSize, abi.Interface: 2 * wmWordSize, abi.Slice: 3 * wmWordSize,
	abi.Array: 0, abi.Struct: 0,
}

// wmModuleOf gives the module among whose types the n bytes at p lie, nil if none.
func wmModuleOf(p, n uintptr) *moduledata {
	for md := &firstmoduledata; md != nil; md = md.next {
		if wmWithin(p, md.types, md.etypes) && n <= md.etypes-p {
			return md
		}
	}
	return nil
}

// wmMade reports whether what is at p looks like a type that package reflect has made while the
// program ran. These lie in the heap, where they stay for ever; their names are known by negative
// numbers, in a map that can't be looked at here.
func wmMade(p uintptr) bool {
	if !wmInHeap(p, unsafe.Sizeof(_type{})) {
		return false
	}
	t := (*_type)(unsafe.Pointer(p))
	return t.Str < 0 && int32(t.Str) > atomic.Loadint32(&reflectOffs.next) && t.Align_ != 0 && t.Align_&(t.Align_-1) == 0 && t.Align_ <= 16
}

// wmTypeReadable reports whether the n bytes at p, of a description of a type, can be read.
func wmTypeReadable(p, n uintptr) bool { return wmModuleOf(p, n) != nil || wmInHeap(p, n) }

// wmInHeap reports whether the n bytes at p are of one object of the heap.
func wmInHeap(p, n uintptr) bool {
	s := spanOf(p)
	return s != nil && s.state.get() == mSpanInUse && wmReadable(getg(), p, n) == n
}

// A wmName is a string among the types of a module, or in the heap.
type wmName struct{ p, len uintptr }

// wmNameAt reads the name at p. It is empty if there is none.
func (md *moduledata) wmNameAt(p uintptr) wmName {
	if p < md.types {
		return wmName{}
	}
	return wmReadName(p, md.etypes)
}

// wmReadName reads the name at p, before end: flags, length, bytes, as abi.Name has it.
func wmReadName(p, end uintptr) wmName {
	if p+3 > end {
		return wmName{}
	}
	n, shift := uintptr(0), 0
	for p++; shift < 21 && p < end; shift += 7 {
		b := *(*byte)(unsafe.Pointer(p))
		p++
		n |= uintptr(b&0x7F) << shift
		if b < 0x80 {
			break
		}
	}
	if p >= end || n > end-p {
		return wmName{}
	}
	return wmName{p, n}
}

func wmFieldName(key uintptr, i int) (wmName, bool) {
	fields := (*structtype)(unsafe.Pointer(key)).Fields
	p := uintptr(unsafe.Pointer(fields[i].Name.Bytes))
	if md := wmModuleOf(p, 1); md != nil {
		return md.wmNameAt(p), true
	}
	const most = 1 << 12 // bytes of a name
	if !wmInHeap(p, 1) {
		return wmName{}, false
	}
	name := wmReadName(p, p+wmReadable(getg(), p, most))
	return name, name.len > 0
}

// wmPackage gives the import path of a named type that is not predeclared.
func (md *moduledata) wmPackage(typ *_type) wmName {
	if typ.TFlag&abi.TFlagUncommon == 0 {
		return wmName{}
	}
	u := uintptr(unsafe.Pointer(typ.Uncommon()))
	if u < md.types || u+unsafe.Sizeof(uncommontype{}) > md.etypes {
		return wmName{}
	}
	off := (*uncommontype)(unsafe.Pointer(u)).PkgPath
	if off == 0 {
		return wmName{}
	}
	return md.wmNameAt(md.types + uintptr(off))
}

// A wmEntry is a description that is being written. Its first two bytes are its size.
type wmEntry struct {
	wmCursor
	start uintptr
	id    uint32
}

func (w *wmEntry) name(n wmName) {
	w.uvarint(uint64(n.len))
	w.bytes(n.p, n.len)
}

// What a type with those that it holds by value usually takes, and a field, bytes.
const (
	wmFewTypes   = 4 << 10
	wmFieldBytes = 40
)

// wmTypesFit makes sure that the current chunk of descriptions has so many bytes left:
// it takes another one if need be, and tells whether there was one.
func wmTypesFit(size uintptr) bool {
	if c := wmTypes.chunk; c != 0 && uintptr((*wmChunkHead)(unsafe.Pointer(c)).end)+size <= wmChunkSize {
		return true
	}
	return size <= wmChunkSize-wmChunkHeader && wmNewTypeChunk()
}

// wmOpenEntry begins a description.
func wmOpenEntry() (w wmEntry) {
	c := wmTypes.chunk
	w.start = c + uintptr((*wmChunkHead)(unsafe.Pointer(c)).end)
	w.at, w.end = w.start+2, c+wmChunkSize
	w.id = wmFirstType + wmTypes.id
	return w
}

// close makes the description part of the chunk. One that did not fit is dropped.
func (w *wmEntry) close() bool {
	if w.at >= w.end {
		return false
	}
	size := w.at - w.start - 2
	*(*byte)(unsafe.Pointer(w.start)) = byte(size)
	*(*byte)(unsafe.Pointer(w.start + 1)) = byte(size >> 8)
	h := (*wmChunkHead)(unsafe.Pointer(wmTypes.chunk))
	atomic.Store(&h.end, uint32(w.at-wmTypes.chunk))
	wmTypes.id++
	return true
}

// wmNewTypeChunk takes a chunk for descriptions and links it to the last one, the
// first to the control chunk. It tells whether one was free.
func wmNewTypeChunk() bool {
	lock(&wm.lock)
	i, ok := wmTakeChunk()
	unlock(&wm.lock)
	if !ok {
		wmTypes.short = true
		return false
	}
	c := wm.base + uintptr(i)*wmChunkSize
	h := (*wmChunkHead)(unsafe.Pointer(c))
	h.end, h.goroutine, h.seq = wmChunkHeader, 0, 0
	atomic.Store(&h.state, wmChunkTypes)
	if wmTypes.chunk == 0 {
		atomic.Store((*uint32)(unsafe.Pointer(wm.base+wmArenaTypes)), i)
	} else {
		atomic.Store64(&(*wmChunkHead)(unsafe.Pointer(wmTypes.chunk)).goroutine, uint64(i))
	}
	wmTypes.chunk = c
	return true
}
