package image

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// A Layout is where the runtime of a program keeps what patching needs: offsets in its types, bytes.
type Layout struct {
	GStackLo, GStackHi, GM, GSP, GPC, GBP, GStatus, GGoid, GAsync, GParent, GStarted, GPanic uint64
	MG0, MProcID, MSignal, MCurrent, MP, MAll                                                uint64
	PID, PanicFP                                                                             uint64
}

// fields are the offsets of a Layout with the fields that they are of.
func (l *Layout) fields() []field {
	return []field{
		{&l.GStackLo, "g", "stack.lo"}, {&l.GStackHi, "g", "stack.hi"}, {&l.GM, "g", "m"}, {&l.GSP, "g", "sched.sp"},
		{&l.GPC, "g", "sched.pc"}, {&l.GBP, "g", "sched.bp"}, {&l.GStatus, "g", "atomicstatus"}, {&l.GGoid, "g", "goid"},
		{&l.GAsync, "g", "asyncSafePoint"}, {&l.GParent, "g", "parentGoid"}, {&l.GStarted, "g", "gopc"}, {&l.GPanic, "g", "_panic"},
		{&l.MG0, "m", "g0"}, {&l.MProcID, "m", "procid"}, {&l.MSignal, "m", "gsignal"}, {&l.MCurrent, "m", "curg"},
		{&l.MP, "m", "p"}, {&l.MAll, "m", "alllink"}, {&l.PID, "p", "id"}, {&l.PanicFP, "_panic", "fp"},
	}
}

type field struct {
	to       *uint64
	of, path string
}

// layouts are those of releases, for programs without DWARF. TestLayouts compares with programs that have it.
var layouts = map[string]Layout{
	"go1.25": layoutOf(272, 200, 64),
	"go1.26": layoutOf(280, 208, 56),
	"go1.27": layoutOf(280, 208, 56),
}

// layoutOf returns the layout of releases that differ in where they have g.parentGoid, m.p and _panic.fp.
func layoutOf(parent, p, fp uint64) Layout {
	return Layout{
		GStackLo: 0, GStackHi: 8, GPanic: 32, GM: 48, GSP: 56, GPC: 64, GBP: 96, GStatus: 144, GGoid: 152, GAsync: 180, GParent: parent, GStarted: parent + 8,
		MG0: 0, MProcID: 64, MSignal: 72, MCurrent: 184, MP: p, MAll: p + 144, PID: 0, PanicFP: fp,
	}
}

func (im *Image) readLayout() error {
	if err := im.layoutOfDWARF(); err != nil {
		l, ok := layouts[im.series()]
		if !ok {
			return refuse("%s has no DWARF (%v), and %s is not a release whose runtime is known without", im.Path, err, im.Release)
		}
		im.Layout = l
	}
	for name, at := range im.search() {
		if im.vars[name] == 0 {
			im.vars[name] = at
		}
	}
	for _, name := range []string{"runtime.allgs", "runtime.allm"} {
		if im.vars[name] == 0 {
			return refuse("%s: the variable %s isn't where %s is known to have it", im.Path, name, im.Release)
		}
	}
	return nil
}

// Var returns the address of a variable of the runtime; 0: it isn't known.
func (im *Image) Var(name string) uint64 { return im.vars["runtime."+name] }

// series returns the release without its last number: "go1.26" of "go1.26.8".
func (im *Image) series() string {
	parts := strings.SplitN(im.Release, ".", 3)
	if len(parts) < 2 {
		return im.Release
	}
	minor := parts[1]
	if i := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		minor = minor[:i]
	}
	return parts[0] + "." + minor
}

// Since reports whether the program was built by go1.N or a later release.
func (im *Image) Since(n int) bool {
	minor, err := strconv.Atoi(strings.TrimPrefix(im.series(), "go1."))
	return err == nil && minor >= n
}

// layoutOfDWARF reads the layout from the types of package runtime.
func (im *Image) layoutOfDWARF() error {
	structs, err := im.structs("g", "m", "p", "_panic")
	if err != nil {
		return err
	}
	for _, f := range im.Layout.fields() {
		at, err := offset(structs[f.of], f.path)
		if err != nil {
			return err
		}
		*f.to = at
	}
	return nil
}

// structs returns struct types of package runtime.
func (im *Image) structs(names ...string) (map[string]*dwarf.StructType, error) {
	data, err := im.DWARF()
	if err != nil {
		return nil, err
	}
	structs := make(map[string]*dwarf.StructType)
	r := data.Reader()
	for len(structs) < len(names) {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, fmt.Errorf("the types of package runtime aren't there")
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag == dwarf.TagCompileUnit {
			if name != "runtime" {
				r.SkipChildren()
			}
			continue
		}
		if short, ok := strings.CutPrefix(name, "runtime."); ok && e.Tag == dwarf.TagStructType && slices.Contains(names, short) && structs[short] == nil {
			t, err := data.Type(e.Offset)
			if err != nil {
				return nil, err
			}
			structs[short] = t.(*dwarf.StructType)
		}
		r.SkipChildren()
	}
	return structs, nil
}

// A Heap is where the runtime keeps which memory is its own. Only programs with DWARF have one.
type Heap struct {
	Arenas uint64  // address of the pointer to the table of arenas
	Spans  uint64  // offset of the table of spans in an arena's description
	Secret uint64  // offset of g.secret, 0: this release has none
	Labels uint64  // offset of g.labels
	Data   []Range // segments of the program that aren't code
}

// Heap returns where the program's memory is.
func (im *Image) Heap() (h Heap, err error) {
	structs, err := im.structs("g", "mheap", "heapArena")
	if err != nil {
		return h, err
	}
	at := im.vars["runtime.mheap_"]
	arenas, err := offset(structs["mheap"], "arenas")
	if err == nil {
		h.Spans, err = offset(structs["heapArena"], "spans")
	}
	if err == nil {
		h.Labels, err = offset(structs["g"], "labels")
	}
	if err != nil {
		return h, err
	}
	if at == 0 {
		return h, errors.New("it has no symbols")
	}
	h.Arenas = at + arenas
	h.Secret, _ = offset(structs["g"], "secret")
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X == 0 {
			h.Data = append(h.Data, Range{p.Vaddr, p.Vaddr + p.Memsz})
		}
	}
	return h, nil
}

// offset returns where a type has a field, given with the fields around it.
func offset(t dwarf.Type, path string) (at uint64, err error) {
	for _, name := range strings.Split(path, ".") {
		for {
			named, ok := t.(*dwarf.TypedefType)
			if !ok {
				break
			}
			t = named.Type
		}
		s, ok := t.(*dwarf.StructType)
		if !ok {
			return 0, fmt.Errorf("%v has no field %s", t, name)
		}
		found := false
		for _, f := range s.Field {
			if f.Name == name {
				at, t, found = at+uint64(f.ByteOffset), f.Type, true
				break
			}
		}
		if !found {
			return 0, fmt.Errorf("%s has no field %s", s.StructName, name)
		}
	}
	return at, nil
}

// search finds variables of the runtime by the code that uses them, for programs without symbols.
func (im *Image) search() map[string]uint64 {
	return map[string]uint64{
		"runtime.allgs": im.found("runtime.allgadd", func(loads, _ map[uint64]bool, at uint64) bool { return loads[at+8] && loads[at+16] }), // a slice
		"runtime.allm":  im.found("runtime.mcommoninit", func(_, addresses map[uint64]bool, at uint64) bool { return addresses[at] }),
	}
}

// found returns a variable that a function loads, and that fits as is says of the addresses that the
// function loads and takes; 0: there is none, or several.
func (im *Image) found(function string, is func(loads, addresses map[uint64]bool, at uint64) bool) (at uint64) {
	f := im.Named(function)
	if f == nil {
		return 0
	}
	loads, addresses := make(map[uint64]bool), make(map[uint64]bool)
	code := f.Code()
	for i := 0; i < len(code); {
		x, err := x86asm.Decode(code[i:], 64)
		if err != nil {
			break
		}
		if i += x.Len; x.PCRel != 4 {
			continue
		}
		to := f.Entry + uint64(i) + uint64(int64(int32(binary.LittleEndian.Uint32(code[i-x.Len+x.PCRelOff:]))))
		if _, ok := x.Args[1].(x86asm.Mem); !ok {
			continue
		}
		switch x.Op {
		case x86asm.LEA:
			addresses[to] = true
		case x86asm.MOV:
			loads[to] = true
		}
	}
	for a := range loads {
		if is(loads, addresses, a) {
			if at != 0 {
				return 0
			}
			at = a
		}
	}
	return at
}

// errNoDWARF is the error where the compiler has written nothing for debuggers.
var errNoDWARF = errors.New("the program was built without DWARF, as by -ldflags=-w or -s")

// DWARF returns what the compiler has written for debuggers.
func (im *Image) DWARF() (*dwarf.Data, error) {
	if im.elf.Section(".debug_info") == nil && im.elf.Section(".zdebug_info") == nil {
		return nil, errNoDWARF
	}
	return im.elf.DWARF()
}

// Types returns the address that offsets of the runtime's descriptions of types count from; 0: it isn't known.
func (im *Image) Types() uint64 { return im.vars["runtime.types"] }
