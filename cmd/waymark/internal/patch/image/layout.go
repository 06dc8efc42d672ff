package image

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
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

// layoutOfDWARF reads the layout from the types of package runtime.
func (im *Image) layoutOfDWARF() error {
	data, err := im.elf.DWARF()
	if err != nil {
		return err
	}
	structs := map[string]*dwarf.StructType{"g": nil, "m": nil, "p": nil, "_panic": nil}
	r := data.Reader()
	for left := len(structs); left > 0; {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil {
			return fmt.Errorf("the types of package runtime aren't there")
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag == dwarf.TagCompileUnit {
			if name != "runtime" {
				r.SkipChildren()
			}
			continue
		}
		if short, ok := strings.CutPrefix(name, "runtime."); ok && e.Tag == dwarf.TagStructType {
			if known, wanted := structs[short]; wanted && known == nil {
				t, err := data.Type(e.Offset)
				if err != nil {
					return err
				}
				structs[short], left = t.(*dwarf.StructType), left-1
			}
		}
		r.SkipChildren()
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
