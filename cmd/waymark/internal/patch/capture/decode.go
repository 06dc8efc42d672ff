package capture

import (
	"cmp"
	"encoding/binary"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Memory reads the program's memory, as it is now.
type Memory interface {
	// Word returns the word at an address of the process; ok is false if it can't be read.
	Word(at uint64) (v uint64, ok bool)
	// Bias returns what the process's addresses are more than the file's.
	Bias() uint64
}

// Values returns the values in a copy, as package format has them. m tells of what never changes: the types of what
// interfaces hold.
func (p *Plan) Values(copied []byte, m Memory) []byte {
	if p == nil || len(copied) < p.Size {
		return nil
	}
	d := decoder{rest: copied[p.Size:], plan: p, memory: m}
	block := d.variables(copied[:p.Size])
	var out []byte
	for i := range p.Variables {
		v := &p.Variables[i]
		switch {
		case v.Masked || v.Type.hidden():
			out = append(out, format.TypeMasked)
		case v.at+v.Type.Size > p.Size:
			out = append(out, format.TypeUnread)
		default:
			out = d.variable(out, v, block)
		}
	}
	return out
}

// A decoder takes a copy apart.
type decoder struct {
	rest   []byte
	plan   *Plan
	memory Memory
}

// A block is what was copied of a place, and of what it leads to.
type block struct {
	bytes  []byte
	kind   Reach          // how it was copied
	read   bool           // else it could not be
	blocks map[int]*block // by the offset of the word that leads there
	each   []*block       // of a list
}

// variables takes apart what was copied behind the block of variables.
func (d *decoder) variables(b []byte) *block {
	if !d.plan.Shared {
		return d.block(b, d.plan.Follow)
	}
	out := &block{bytes: b, read: true, blocks: make(map[int]*block)}
	for i := range d.plan.Follow {
		if len(d.rest) < word {
			break
		}
		d.share().follow(out, &d.plan.Follow[i])
	}
	return out
}

// share returns a decoder of the bytes that come next, behind their number.
func (d *decoder) share() *decoder {
	n := min(binary.LittleEndian.Uint64(d.rest), uint64(len(d.rest)-word))
	one := &decoder{rest: d.rest[word : word+n], plan: d.plan, memory: d.memory}
	d.rest = d.rest[word+n:]
	return one
}

// block takes apart what was copied behind a block.
func (d *decoder) block(b []byte, list []Follow) *block {
	out := &block{bytes: b, read: true}
	for i := range list {
		f := &list[i]
		if len(b) < f.At+f.Width() || len(d.rest) < word {
			continue
		}
		if out.blocks == nil {
			out.blocks = make(map[int]*block)
		}
		if f.Part > 0 {
			d.share().follow(out, f)
		} else {
			d.follow(out, f)
		}
	}
	return out
}

// follow takes apart what was copied behind a word of a block.
func (d *decoder) follow(from *block, f *Follow) {
	if len(from.bytes) < f.At+f.Width() || len(d.rest) < word {
		return
	}
	if f.Kind == Contexts { // beside what the interface holds
		from.blocks[^f.At] = d.contexts(f)
		return
	}
	copied, ok := d.piece()
	if !ok {
		from.blocks[f.At] = &block{kind: f.Kind}
		return
	}
	switch f.Kind {
	case Map:
		from.blocks[f.At] = d.mapped(copied, f)
	case List:
		one := &block{bytes: copied, kind: List, read: true}
		for at := 0; len(f.Inside) > 0 && at+f.Step <= len(copied); at += f.Step {
			one.each = append(one.each, d.block(copied[at:at+f.Step], f.Inside))
		}
		from.blocks[f.At] = one
	default:
		to := d.block(copied, f.Inside)
		to.kind = f.Kind
		from.blocks[f.At] = to
	}
}

// piece returns the bytes that come next; ok is false if they could not be read.
func (d *decoder) piece() (copied []byte, ok bool) {
	n := int64(binary.LittleEndian.Uint64(d.rest))
	d.rest = d.rest[word:]
	if n < 0 || n > int64(len(d.rest)) {
		return nil, false
	}
	copied = d.rest[:n]
	d.rest = d.rest[min(align(int(n), word), len(d.rest)):]
	return copied, true
}

func (d *decoder) variable(out []byte, v *Variable, b *block) []byte {
	if v.Heap {
		t, to := v.held(), b.to(v.at, Whole)
		if t == nil || to == nil || !to.read || len(to.bytes) < min(t.Size, mostTarget) {
			return binary.AppendUvarint(out, format.TypeUnread)
		}
		return d.variable(out, &Variable{Type: t}, to)
	}
	if v.Type.Kind != format.KindInterface {
		out = binary.AppendUvarint(out, uint64(v.Type.ID()))
	}
	return d.value(out, v.Type, b, v.at, d.plan.limits.Depth)
}

// to returns the block that the word at an offset leads to; nil: there is none that was copied for such a word. What an
// interface holds is copied by guesses.
func (b *block) to(at int, kind Reach) *block {
	if to := b.blocks[at]; to != nil && to.kind == kind {
		return to
	}
	return nil
}

func (b *block) word(at int) uint64 { return binary.LittleEndian.Uint64(b.bytes[at:]) }

// number returns the unsigned number of a size at an offset.
func (b *block) number(at, size int) (v uint64) {
	for i := size - 1; i >= 0; i-- {
		v = v<<8 | uint64(b.bytes[at+i])
	}
	return v
}

// value appends the value of a type at an offset of a block, which has all of it.
func (d *decoder) value(out []byte, t *Type, b *block, at, depth int) []byte {
	if t.hidden() {
		return count(out, 1) // see Type.ID
	}
	switch t.Kind {
	case format.KindBool:
		return append(out, b.bytes[at]&1)
	case format.KindUint8:
		return append(out, b.bytes[at])
	case format.KindInt, format.KindInt8, format.KindInt16, format.KindInt32, format.KindInt64:
		shift := 64 - 8*t.Size
		return binary.AppendVarint(out, int64(b.number(at, t.Size)<<shift)>>shift)
	case format.KindUint, format.KindUint16, format.KindUint32, format.KindUint64, format.KindUintptr, format.KindUnsafePointer:
		return binary.AppendUvarint(out, b.number(at, t.Size))
	case format.KindFloat32, format.KindFloat64, format.KindComplex64, format.KindComplex128:
		return append(out, b.bytes[at:at+t.Size]...)
	case format.KindString:
		return text(out, b, at)
	case format.KindStruct:
		return d.fields(out, t, b, at, depth)
	case format.KindArray:
		return d.array(out, t, b, at, depth)
	case format.KindSlice:
		return d.slice(out, t, b, at, depth)
	case format.KindPointer:
		return d.pointer(out, t, b, at, depth)
	case format.KindInterface:
		return d.dynamic(out, t, b, at, depth)
	case format.KindMap:
		return d.entries(out, t, b, at, depth)
	case format.KindChan:
		return header(out, t, b, at)
	case format.KindFunc:
		return d.function(out, b, at)
	}
	return out
}

func count(out []byte, n int) []byte { return append(out, byte(n), byte(n>>8)) }

// text appends a string.
func text(out []byte, b *block, at int) []byte {
	n := b.word(at + word)
	var copied []byte
	if to := b.to(at, List); to != nil { // of what an interface holds there may be more
		copied = to.bytes[:min(uint64(len(to.bytes)), n)]
	}
	if uint64(len(copied)) == n {
		out = binary.AppendUvarint(out, n<<1)
	} else {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(len(copied))<<1|1), n)
	}
	return append(out, copied...)
}

func (d *decoder) fields(out []byte, t *Type, b *block, at, depth int) []byte {
	start, n := len(out), 0
	out = count(out, 0)
	for i := range t.Fields {
		f := &t.Fields[i]
		if depth == 0 || at+f.Offset+f.Type.Size > len(b.bytes) {
			break
		}
		if n++; !t.types.masked(f) {
			out = d.value(out, f.Type, b, at+f.Offset, depth-1)
		}
	}
	binary.LittleEndian.PutUint16(out[start:], uint16(n))
	return out
}

func (d *decoder) array(out []byte, t *Type, b *block, at, depth int) []byte {
	e := t.Elem()
	start, n := len(out), 0
	out = count(out, 0)
	most := 1<<16 - 1
	if e != nil && e.Size == 0 {
		most = mostEmpty
	}
	for ; e != nil && n < t.Len && n < most && (depth > 0 || e.Kind == format.KindUint8) && at+(n+1)*e.Size <= len(b.bytes); n++ {
		out = d.value(out, e, b, at+n*e.Size, depth-1)
	}
	binary.LittleEndian.PutUint16(out[start:], uint16(n))
	return out
}

// mostEmpty is how many elements are shown that take no memory.
const mostEmpty = 16

func (d *decoder) slice(out []byte, t *Type, b *block, at, depth int) []byte {
	if b.word(at) == 0 {
		return append(out, 0)
	}
	length := b.word(at + word)
	out = binary.AppendUvarint(append(out, 1), length)
	e, to := t.Elem(), b.to(at, List)
	n := 0
	switch {
	case e != nil && e.Size == 0:
		to, n = &block{read: true}, int(min(mostEmpty, length))
	case e == nil || to == nil && length > 0:
		return count(binary.AppendUvarint(out, format.TypeUnread), 0)
	case to != nil:
		n = int(min(uint64(len(to.bytes)/e.Size), length))
	}
	out = binary.AppendUvarint(out, uint64(e.ID()))
	out = count(out, n)
	for i := range n {
		switch {
		case len(to.each) > i:
			out = d.value(out, e, to.each[i], 0, depth-1)
		default:
			out = d.value(out, e, to, i*e.Size, depth-1)
		}
	}
	return out
}

func (d *decoder) pointer(out []byte, t *Type, b *block, at, depth int) []byte {
	p := b.word(at)
	if p == 0 {
		return append(out, 0)
	}
	e, to := t.Elem(), b.to(at, Whole)
	if e == nil || to == nil || !to.read || depth == 0 || len(to.bytes) < min(e.Size, mostTarget) {
		return binary.AppendUvarint(append(out, 1), p)
	}
	if e.Kind != format.KindStruct && e.Kind != format.KindArray {
		depth--
	}
	if depth+1 >= d.plan.limits.Depth { // the outermost one
		out = binary.AppendUvarint(append(out, 3), p)
	} else {
		out = append(out, 2)
	}
	return d.value(binary.AppendUvarint(out, uint64(e.ID())), e, to, 0, depth)
}

// header appends what a map or a channel has in its first words.
func header(out []byte, t *Type, b *block, at int) []byte {
	n := 1
	if t.Kind == format.KindChan {
		n = 2
	}
	p := b.word(at)
	if p == 0 {
		return append(out, 0)
	}
	to := cmp.Or(b.to(at, Whole), b.to(at, Map))
	if to == nil || len(to.bytes) < n*word {
		return binary.AppendUvarint(append(out, 1), p)
	}
	out = append(out, 2)
	for i := range n {
		out = binary.AppendUvarint(out, to.word(i*word))
	}
	return out
}

func (d *decoder) function(out []byte, b *block, at int) []byte {
	if b.word(at) == 0 {
		return append(out, format.TypeNil)
	}
	to := b.to(at, Whole)
	if to == nil || len(to.bytes) < word {
		return append(out, format.TypeUnread)
	}
	id := d.plan.types.function(to.word(0) - d.memory.Bias())
	return binary.AppendUvarint(out, uint64(id))
}

// held returns the type of what an interface holds that isn't nil; nil: it isn't known.
func (d *decoder) held(t *Type, b *block, at int) *Type {
	run := b.word(at)
	if !t.empty {
		var ok bool
		if run, ok = d.memory.Word(run + word); !ok { // itab.Type
			return nil
		}
	}
	return d.plan.types.running(run, d.memory)
}

// dynamic appends what an interface holds.
func (d *decoder) dynamic(out []byte, t *Type, b *block, at, depth int) []byte {
	if b.word(at) == 0 {
		return append(out, format.TypeNil)
	}
	dyn := d.held(t, b, at)
	to := b.to(at, Interface)
	if dyn == nil || dyn.Kind == format.KindInterface {
		return append(out, format.TypeUnread)
	}
	if dyn.direct() {
		held := &block{bytes: b.bytes[at+word : at+2*word], read: true}
		if to != nil {
			inside := *to
			inside.kind = Whole
			held.blocks = map[int]*block{0: &inside}
		}
		return d.value(binary.AppendUvarint(out, uint64(dyn.ID())), dyn, held, 0, max(depth, 1))
	}
	if to == nil || len(to.bytes) < min(dyn.Size, mostNested) {
		return append(out, format.TypeUnread)
	}
	if dyn.Size > len(to.bytes) && dyn.Kind != format.KindStruct {
		return append(out, format.TypeUnread)
	}
	return d.value(binary.AppendUvarint(out, uint64(dyn.ID())), dyn, to, 0, max(depth, 1))
}

// direct reports whether an interface has values of the type in its second word.
func (t *Type) direct() bool {
	switch t.Kind {
	case format.KindPointer, format.KindMap, format.KindChan, format.KindFunc, format.KindUnsafePointer:
		return true
	case format.KindStruct:
		var only *Type
		for _, f := range t.Fields {
			switch {
			case f.Type.Size == 0 && t.types.image.Since(26):
			case only != nil:
				return false
			default:
				only = f.Type
			}
		}
		return t.Size == word && only != nil && only.direct()
	case format.KindArray:
		e := t.Elem()
		return t.Len == 1 && e != nil && e.direct()
	}
	return false
}
