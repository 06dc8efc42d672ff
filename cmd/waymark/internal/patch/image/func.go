package image

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
)

// A Func is a function that has code of its own.
type Func struct {
	Name       string // as runtime.FuncForPC returns it
	Entry, End uint64 // End is the entry of the next one

	im        *Image
	record    []byte // _func of package runtime, and what follows it
	id, flags uint8
}

// Bits of a function's flags, see internal/abi.FuncFlag.
const (
	writesSP = 1 << 1
	assembly = 1 << 2
)

// wrapper is internal/abi.FuncIDWrapper: code that the compiler makes for methods, and that stack traces hide.
const wrapper = 23

// Assembly reports whether the function is written in assembly.
func (f *Func) Assembly() bool { return f.flags&assembly != 0 }

// WritesSP reports whether the function moves the stack pointer in ways that the tables don't tell.
func (f *Func) WritesSP() bool { return f.flags&writesSP != 0 }

// Wrapper reports whether the compiler has made the function to call a method.
func (f *Func) Wrapper() bool { return f.id == wrapper }

// Code returns the function's bytes, with those between it and the next one; nil if it isn't in the text.
func (f *Func) Code() []byte {
	t := f.im.Text
	if f.Entry < t.Low || f.End > t.High || f.End < f.Entry {
		return nil
	}
	return f.im.code[f.Entry-t.Low : f.End-t.Low]
}

// Other returns the function of the same program that an address is in; nil: none.
func (f *Func) Other(pc uint64) *Func { return f.im.At(pc) }

// Package returns the import path of the function's package.
func (f *Func) Package() string { return PackageOf(f.Name) }

// PackageOf returns the import path of the package of a function with a name.
func PackageOf(name string) string {
	path, _ := names.Split(name)
	return names.Unescape(path)
}

// A Table has a value for each instruction of a function.
type Table struct {
	values []int32
	ends   []uint64 // addresses where they end
}

// At returns the value at an address; ok is false where there is none.
func (t Table) At(pc uint64) (value int32, ok bool) {
	i := sort.Search(len(t.ends), func(i int) bool { return pc < t.ends[i] })
	if i == len(t.ends) {
		return -1, false
	}
	return t.values[i], true
}

// Offsets in a function's record.
const (
	recordDepth  = 16
	recordFile   = 20
	recordLines  = 24
	recordPCData = 28 // number of tables
	recordUnit   = 32
	recordLine   = 36
	recordData   = 43 // number of data, which are behind the tables
	recordTables = 44 // the first of the tables
)

func (f *Func) field(at int) uint32 { return binary.LittleEndian.Uint32(f.record[at:]) }

// table decodes a table: pairs of a difference of values and one of addresses.
func (f *Func) table(offset uint32) (t Table) {
	if offset == 0 || int(offset) >= len(f.im.tables.values) {
		return t
	}
	b := f.im.tables.values[offset:]
	pc, value := f.Entry, int32(-1)
	for {
		change, n := binary.Uvarint(b)
		if n <= 0 || change == 0 && len(t.ends) > 0 {
			return t
		}
		step, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return t
		}
		b = b[n+m:]
		value += int32(change>>1) ^ -int32(change&1)
		pc += step
		t.values, t.ends = append(t.values, value), append(t.ends, pc)
	}
}

// Depth returns by how many bytes the function has moved the stack pointer.
func (f *Func) Depth() Table { return f.table(f.field(recordDepth)) }

// Unsafe returns where the function must not be preempted: negative values but -1, see
// internal/abi.UnsafePointUnsafe; those from -3 down are sequences that begin anew after a signal.
func (f *Func) Unsafe() Table {
	if f.field(recordPCData) == 0 {
		return Table{}
	}
	return f.table(f.field(recordTables))
}

// Restarts is the largest value of Unsafe that stands for a sequence that begins anew.
const Restarts = -3

// File returns the source file that the function begins in.
func (f *Func) File() string { return f.file(f.Entry) }

// file returns the source file of an instruction.
func (f *Func) file(pc uint64) string {
	file, ok := f.table(f.field(recordFile)).At(pc)
	if !ok || file < 0 {
		return ""
	}
	at := int(f.field(recordUnit)+uint32(file)) * 4
	if at+4 > len(f.im.tables.units) {
		return ""
	}
	offset := binary.LittleEndian.Uint32(f.im.tables.units[at:])
	if int64(offset) >= int64(len(f.im.tables.files)) {
		return ""
	}
	return text(f.im.tables.files[offset:])
}

// Line returns the line of the func keyword.
func (f *Func) Line() int { return int(int32(f.field(recordLine))) }

// below are the packages that the runtime is made of. Their functions run where nothing may be recorded.
var below = []string{"runtime", "internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder", "internal/chacha8rand",
	"internal/coverage/rtcov", "internal/cpu", "internal/goarch", "internal/godebugs", "internal/goexperiment", "internal/goos",
	"internal/msan", "internal/profilerecord", "internal/race", "internal/strconv", "internal/stringslite", "internal/trace/tracev2"}

// Runtime reports whether the function's code is the runtime's, whatever its name says: linknames give
// such functions names of other packages.
func (f *Func) Runtime() bool {
	if !strings.Contains(f.Name, ".") || IsRuntime(f.Package()) {
		return true
	}
	file := f.File()
	if i := strings.LastIndex(file, "/src/"); i >= 0 {
		file = file[i+len("/src/"):]
	}
	dir, _, _ := strings.Cut(file, "/")
	return dir == "runtime" || strings.HasPrefix(file, "internal/runtime/")
}

// IsRuntime reports whether a package is of those that the runtime is made of.
func IsRuntime(path string) bool {
	return slices.Contains(below, path) || strings.HasPrefix(path, "runtime/") && path != "runtime/debug" && path != "runtime/pprof" && path != "runtime/trace" && path != "runtime/metrics" ||
		strings.HasPrefix(path, "internal/runtime/")
}
