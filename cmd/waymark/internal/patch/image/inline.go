package image

import "encoding/binary"

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

// Within returns the address that stands for an instruction in one of the calls that InlinedAt
// returns, or in the function itself, below 0: that of the call which it has come from. ok is false
// if it is of neither.
func (f *Func) Within(call int, pc uint64) (at uint64, ok bool) {
	inlined := f.inlined()
	for range len(inlined.entries) + 1 {
		i := f.InlinedAt(pc)
		if i == call || i < 0 {
			return pc, i == call || call < 0
		}
		e, ok := inlined.at(pc)
		if !ok {
			break
		}
		pc = f.Entry + uint64(e.parent)
	}
	return 0, false
}

// An Inlined is code of calls on a line.
type Inlined struct {
	Range
	File   string // that the line is in
	Caller int    // which of the inlined calls the line itself is of, as InlinedAt returns it
}

// InlinedOn returns the code of calls on a line that the compiler has inlined in the function, with
// what is inlined in them. A range may come several times.
func (f *Func) InlinedOn(line int, named func(file string) bool) (list []Inlined) {
	inlined := f.inlined()
	if len(inlined.entries) == 0 {
		return nil
	}
	lines := f.table(f.field(recordLines))
	callers := make([]int, len(inlined.entries))
	files := make([]string, len(inlined.entries)) // of calls on the line
	for i, e := range inlined.entries {
		pc := f.Entry + uint64(e.parent)
		callers[i] = -1
		if caller, ok := inlined.index.At(pc); ok {
			callers[i] = int(caller)
		}
		if n, ok := lines.At(pc); ok && int(n) == line {
			if file := f.file(pc); named(file) {
				files[i] = file
			}
		}
	}
	low := f.Entry
	for k, high := range inlined.index.ends {
		i := int(inlined.index.values[k])
		for range inlined.entries { // however damaged: they aren't nested deeper
			if i < 0 || i >= len(files) {
				break
			}
			if files[i] != "" {
				list = append(list, Inlined{Range{low, high}, files[i], callers[i]})
			}
			i = callers[i]
		}
		low = high
	}
	return list
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
