// Package runtime, as waymark adds to it: how a type is described, by what the compiler says of it.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"unsafe"
)

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
	if md != nil && t.kind <= abi.UnsafePointer && wmMayHide[t.kind] && typ.TFlag&abi.TFlagNamed != 0 && md.wmHides(typ, name, pkg) {
		// Its values are told as those of a struct with one masked field: nobody reads them.
		t.kind, t.secret, t.nfields = abi.Struct, true, 1
		t.fields = (*wmField)(wmTypeMemory(unsafe.Sizeof(wmField{})))
		t.fields.typ, t.fields.masked = &wmUnreadable, true
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
			name := wmName{uintptr(unsafe.Pointer(unsafe.StringData(wmHiddenField))), uintptr(len(wmHiddenField))}
			if !t.secret {
				name, _ = wmFieldName(key, i)
			}
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

// wmHiddenField is the name of the field that types have whose values aren't to be seen.
const wmHiddenField = "***"

// wmMayHide are the kinds of types whose values may be secrets.
var wmMayHide = [abi.UnsafePointer + 1]bool{abi.Array: true, abi.Map: true, abi.Slice: true, abi.String: true, abi.Struct: true}

// wmHides reports whether values of a named type aren't to be seen. It knows them by the type's
// name, or by the method LogValue: with it values say what logs may hold of them.
func (md *moduledata) wmHides(typ *_type, name, pkg wmName) bool {
	if pkg.len == 0 || wmCaptured.redact == nil {
		return false
	}
	text := func(n wmName) string { return unsafe.String((*byte)(unsafe.Pointer(n.p)), int(n.len)) }
	if wmTypeLooksSecret(text(pkg), text(name), wmCaptured.redact) {
		return true
	}
	u := typ.Uncommon() // it has a package
	methods := uintptr(unsafe.Pointer(u)) + uintptr(u.Moff)
	if methods < md.types || methods+uintptr(u.Mcount)*unsafe.Sizeof(abi.Method{}) > md.etypes {
		return false
	}
	for i := uintptr(0); i < uintptr(u.Xcount); i++ {
		m := (*abi.Method)(unsafe.Pointer(methods + i*unsafe.Sizeof(abi.Method{})))
		if text(md.wmNameAt(md.types+uintptr(m.Name))) == "LogValue" {
			return true
		}
	}
	return false
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
// program ran. Such types lie in the heap, where they stay for ever. Their names are known by
// negative numbers, in a map that can't be looked at here.
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
