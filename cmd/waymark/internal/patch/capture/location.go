package capture

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A location is where a part of a variable is: in a register, by DWARF's numbers, or in memory, so far above the frame.
type location struct {
	size     int // bytes; 0: the rest
	register int // below 0: none
	memory   bool
	offset   int
}

// locations reads where variables are.
type locations struct {
	lists, addresses []byte // the sections .debug_loclists and .debug_addr
}

func newLocations(im *image.Image) *locations {
	return &locations{im.Section(".debug_loclists"), im.Section(".debug_addr")}
}

// errLocation is the error of a location that isn't as Go's compiler writes it.
var errLocation = errors.New("its place is described in a way that isn't known")

// at returns the parts of a variable of so many bytes at an instruction; nil: it isn't there. unit is the entry of the
// variable's unit.
func (l *locations) at(v, unit *dwarf.Entry, pc uint64, size int) ([]location, error) {
	switch where := v.Val(dwarf.AttrLocation).(type) {
	case []byte:
		return parts(where)
	case int64:
		return l.list(where, unit, pc, size)
	}
	return nil, nil
}

// Entries of lists, see DWARF 5, 7.7.3.
const (
	listEnd         = 0
	listBaseIndex   = 1
	listStartEnd    = 2
	listStartLength = 3
	listOffsets     = 4
	listDefault     = 5
	listBase        = 6
	listAddresses   = 7
	listAddress     = 8
)

func (l *locations) list(offset int64, unit *dwarf.Entry, pc uint64, size int) (found []location, err error) {
	if offset < 0 || offset >= int64(len(l.lists)) {
		return nil, errLocation
	}
	r := reader{b: l.lists[offset:]}
	base, _ := unit.Val(dwarf.AttrLowpc).(uint64)
	first, _ := unit.Val(dwarf.AttrAddrBase).(int64)
	address := func() uint64 {
		i := r.number()
		n := uint64(len(l.addresses))
		at := uint64(first) + 8*i
		if first < 0 || i > n || uint64(first) > n || at+8 > n {
			r.bad = true
			return 0
		}
		return binary.LittleEndian.Uint64(l.addresses[at:])
	}
	for !r.bad {
		var low, high uint64
		switch r.byte() {
		case listEnd:
			return found, nil
		case listBaseIndex:
			base = address()
			continue
		case listBase:
			base = r.word()
			continue
		case listStartEnd:
			low, high = address(), address()
		case listStartLength:
			low = address()
			high = low + r.number()
		case listOffsets:
			low, high = base+r.number(), base+r.number()
		case listAddresses:
			low, high = r.word(), r.word()
		case listAddress:
			low = r.word()
			high = low + r.number()
		case listDefault:
			high = 1<<64 - 1
		default:
			return nil, errLocation
		}
		list, err := parts(r.bytes(r.number()))
		if err == nil && len(list) == 1 && list[0].register >= 0 && size > word {
			// The compiler tells of one part only where it has taken a variable apart, as the imaginary part of a complex
			// number may be a constant. Elsewhere in the list it looks as if all were there.
			return nil, errLocation
		}
		if pc >= low && pc < high && found == nil {
			if err != nil {
				return nil, err
			}
			found = list
		}
	}
	return nil, errLocation
}

// Operations of expressions, see DWARF 5, 7.7.1.
const (
	opRegister  = 0x50 // to opRegister + 31
	opRegisterX = 0x90
	opFrame     = 0x91
	opPiece     = 0x93
	opCallFrame = 0x9c
)

// parts takes an expression apart.
func parts(expression []byte) (list []location, err error) {
	r := reader{b: expression}
	one := location{register: -1}
	for len(r.b) > 0 && !r.bad {
		switch op := r.byte(); {
		case op >= opRegister && op < opRegister+32:
			one.register = int(op - opRegister)
		case op == opRegisterX:
			one.register = int(r.number())
		case op == opFrame:
			one.memory, one.offset = true, int(r.signed())
		case op == opCallFrame:
			one.memory = true
		case op == opPiece:
			one.size = int(r.number())
			list, one = append(list, one), location{register: -1}
		default:
			return nil, errLocation
		}
	}
	if r.bad {
		return nil, errLocation
	}
	if one.memory || one.register >= 0 {
		list = append(list, one)
	}
	return list, nil
}

// A reader reads what DWARF has.
type reader struct {
	b   []byte
	bad bool // there were fewer bytes
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) word() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	r.bytes(uint64(max(n, 0)))
	r.bad = r.bad || n <= 0
	return v
}

func (r *reader) signed() (v int64) {
	for shift := 0; shift < 64 && !r.bad; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.bad = true
	return 0
}

// Registers of integers by DWARF's numbers, in the order in which arguments take them, and those that a line's trampoline
// saves.
var (
	argumentRegisters = map[int]int{0: 0, 3: 1, 2: 2, 5: 3, 4: 4, 8: 5, 9: 6, 10: 7, 11: 8}
	savedRegisters    = map[int]int{1: 0, 12: 1, 13: 2, 15: 3}
)

const firstFloat = 17 // DWARF's number of XMM0

// A slot is a part of a variable that the compiler may keep apart.
type slot struct{ at, size int }

// slots returns the parts of a type that the compiler keeps apart, if it does.
func (t *Type) slots(at int, list []slot) []slot {
	switch t.Kind {
	case format.KindString, format.KindInterface:
		return append(list, slot{at, word}, slot{at + word, word})
	case format.KindSlice:
		return append(list, slot{at, word}, slot{at + word, word}, slot{at + 2*word, word})
	case format.KindComplex64, format.KindComplex128:
		return append(list, slot{at, t.Size / 2}, slot{at + t.Size/2, t.Size / 2})
	case format.KindStruct:
		for _, f := range t.Fields {
			list = f.Type.slots(at+f.Offset, list)
		}
		return list
	case format.KindArray:
		if e := t.Elem(); e != nil && t.Len == 1 {
			return e.slots(at, list)
		}
	}
	if t.Size == 0 {
		return list
	}
	return append(list, slot{at, t.Size})
}

// pieces returns the pieces of a variable's parts; ok is false if some of it is nowhere, or not where its type would have
// it. Parts have no gaps between them, other than fields. depth is how far the stack pointer is from the return address,
// bytes.
func pieces(list []location, t *Type, depth int) (out []Piece, ok bool) {
	slots := []slot{{0, t.Size}}
	if len(list) > 1 {
		if slots = t.slots(0, nil); len(slots) != len(list) {
			return nil, false
		}
	}
	for i, part := range list {
		at, n := slots[i].at, slots[i].size
		if part.size != 0 && part.size != n {
			return nil, false
		}
		switch i, argument := argumentRegisters[part.register]; {
		case part.memory:
			// The frame is behind the return address. No variable is far from it.
			const far = 1 << 20
			if first := depth + part.offset; first < -word || part.offset+n > far {
				return nil, false
			}
			for done := 0; done < n; done += word {
				out = append(out, Piece{OnStack, depth + part.offset + done, at + done, min(word, n-done)})
			}
		case n > word && part.register >= 0:
			return nil, false
		case argument:
			out = append(out, Piece{InInt, i, at, n})
		case part.register >= firstFloat && part.register < firstFloat+floatRegisters:
			out = append(out, Piece{InFloat, part.register - firstFloat, at, n})
		default:
			i, saved := savedRegisters[part.register]
			if !saved {
				if t.Kind == format.KindSlice && at == 2*word { // nobody needs its capacity
					continue
				}
				return nil, false
			}
			out = append(out, Piece{InSaved, i, at, n})
		}
	}
	return out, true
}
