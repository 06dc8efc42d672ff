package image

import (
	"debug/elf"
	"encoding/binary"
)

// A Frame is a call at an instruction: of a function, or of one that the compiler has inlined there.
type Frame struct {
	Function string // as runtime.CallersFrames has it
	File     string
	Line     int // of the call, or of the instruction
	Inlined  bool
	Wrapper  bool // the compiler has made it to call a method
}

// Frames returns the calls at an instruction, the innermost first; nil: there is no function. For a return address it
// is to be the address before.
func (im *Image) Frames(pc uint64) (list []Frame) {
	f := im.At(pc)
	if f == nil {
		return nil
	}
	inlined := f.inlined()
	for range len(inlined.entries) + 1 { // however damaged: they aren't nested deeper
		line, _ := f.table(f.field(recordLines)).At(pc)
		frame := Frame{Function: f.Name, File: f.file(pc), Line: int(line), Wrapper: f.Wrapper()}
		call, ok := inlined.at(pc)
		if !ok {
			return append(list, frame)
		}
		frame.Function, frame.Inlined, frame.Wrapper = call.name, true, call.id == wrapper
		list = append(list, frame)
		pc = f.Entry + uint64(call.parent)
	}
	return list
}

// Inlined returns the names of the functions that the compiler has inlined in the function.
func (f *Func) Inlined() (names []string) {
	for _, call := range f.inlined().entries {
		names = append(names, call.name)
	}
	return names
}

// InlinedAt returns which of the calls that the compiler has inlined in the function an instruction is of, the innermost
// one; below 0: it is of none.
func (f *Func) InlinedAt(pc uint64) int {
	if i, ok := f.inlined().index.At(pc); ok {
		return int(i)
	}
	return -1
}

// inlines are the calls that the compiler has inlined in a function.
type inlines struct {
	index   Table
	entries []inlinedCall
}

type inlinedCall struct {
	name   string
	id     uint8 // as that of a Func
	parent int32 // an instruction where its caller is, bytes from the function's entry
}

func (l *inlines) at(pc uint64) (call inlinedCall, ok bool) {
	i, ok := l.index.At(pc)
	if !ok || i < 0 || int(i) >= len(l.entries) {
		return call, false
	}
	return l.entries[i], true
}

// Where a function's inlined calls are, see internal/abi.PCDATA_InlTreeIndex and FUNCDATA_InlTree, and what an entry
// has, see inlinedCall of package runtime.
const (
	inlineIndex = 2
	inlineTree  = 3

	inlineSize   = 16
	inlineName   = 4
	inlineParent = 8
)

func (f *Func) inlined() (l inlines) {
	tables, data := f.field(recordPCData), f.record[recordData]
	if f.im.tables.inlines == nil || tables <= inlineIndex || data <= inlineTree {
		return l
	}
	field := func(n uint32) (uint32, bool) {
		at := recordTables + int(n)*4
		if at+4 > len(f.record) {
			return 0, false
		}
		return f.field(at), true
	}
	index, _ := field(inlineIndex)
	tree, ok := field(tables + inlineTree)
	if l.index = f.table(index); !ok || tree == 1<<32-1 {
		return l
	}
	most := int32(-1)
	for _, v := range l.index.values {
		most = max(most, v)
	}
	for i := 0; i <= int(most); i++ {
		at := int(tree) + i*inlineSize
		if at+inlineSize > len(f.im.tables.inlines) {
			break
		}
		b := f.im.tables.inlines[at:]
		name := binary.LittleEndian.Uint32(b[inlineName:])
		if int64(name) >= int64(len(f.im.tables.names)) {
			break
		}
		l.entries = append(l.entries, inlinedCall{text(f.im.tables.names[name:]), b[0], int32(binary.LittleEndian.Uint32(b[inlineParent:]))})
	}
	return l
}

// readInlines returns what the offsets of functions' data count from: the field gofunc of the runtime's description of
// the program, moduledata. nil: it was not found.
func (im *Image) readInlines() []byte {
	offset, ok := map[string]uint64{"go1.25": 320, "go1.26": 320, "go1.27": 344}[im.series()]
	if !ok {
		return nil
	}
	at := im.vars["runtime.firstmoduledata"]
	if at == 0 {
		at = im.findPointer(im.tables.at)
	}
	if at == 0 || im.pointer(at) != im.tables.at { // its first field
		return nil
	}
	return im.section(im.pointer(at + offset))
}

// pointer returns the address that the program keeps at an address, as the linker has set it.
func (im *Image) pointer(at uint64) (to uint64) {
	if im.elf.Type == elf.ET_DYN {
		im.relocations(func(where, value uint64) {
			if where == at {
				to = value
			}
		})
		return to
	}
	if b := im.section(at); len(b) >= 8 {
		to = binary.LittleEndian.Uint64(b)
	}
	return to
}

// findPointer returns where the program keeps an address, 0: nowhere.
func (im *Image) findPointer(to uint64) (at uint64) {
	if im.elf.Type == elf.ET_DYN {
		im.relocations(func(where, value uint64) {
			if value == to && at == 0 {
				at = where
			}
		})
		return at
	}
	for _, s := range im.elf.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE == 0 && s.Name != ".go.module" {
			continue
		}
		b, _ := s.Data()
		for i := 0; i+8 <= len(b); i += 8 {
			if binary.LittleEndian.Uint64(b[i:]) == to {
				return s.Addr + uint64(i)
			}
		}
	}
	return 0
}

// relocations calls do with each address that a program that is independent of its position keeps.
func (im *Image) relocations(do func(where, value uint64)) {
	for _, s := range im.elf.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		b, _ := s.Data()
		for ; len(b) >= 24; b = b[24:] {
			if binary.LittleEndian.Uint32(b[8:]) == uint32(elf.R_X86_64_RELATIVE) {
				do(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[16:]))
			}
		}
	}
}
