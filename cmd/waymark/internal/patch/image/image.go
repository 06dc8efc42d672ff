// Package image reads from the executable of a Go program for linux/amd64 what patching needs to know:
// its functions, how deep the stack is at each of their instructions, and where the runtime keeps
// goroutines and threads.
//
//	im, err := image.Open("/proc/4711/exe")
//	for _, f := range im.Funcs {
//		fmt.Println(f.Name, len(f.Code()))
//	}
//
// Addresses are those of the file. A process has them plus a bias, if the program is independent of its
// position.
package image

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
)

// PageSize is that of the processor, bytes.
const PageSize = 4096

// A Refusal is why a program can't be patched.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// A Range is addresses from Low on, before High.
type Range struct{ Low, High uint64 }

// Contains reports whether an address is in the range.
func (r Range) Contains(a uint64) bool { return r.Low <= a && a < r.High }

// Len returns the number of bytes in the range.
func (r Range) Len() int { return int(r.High - r.Low) }

// An Image is an executable.
type Image struct {
	Path    string
	Release string // as "go1.26.8"
	Main    string // import path of package main
	Module  string // the main module's path; empty: it has none
	Arenas  bool   // it was built with GOEXPERIMENT=arenas

	Segments Range // all that is loaded
	Text     Range // code
	Slack    Range // bytes behind the code that are executable, as the page is, and nobody's
	Funcs    []*Func
	Layout   Layout
	Built    bool // waymark has built it

	file   *os.File
	elf    *elf.File
	code   []byte
	tables tables
	exec   elf.ProgHeader // the segment of the code
	names  map[string]*Func
	vars   map[string]uint64

	relocations  func() []relocation
	findChildren sync.Once
	inChild      map[*Func]bool
}

// Open reads the executable at path. Its error is a *Refusal if the program is none that can be patched.
func Open(path string) (*Image, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	im := &Image{Path: path, file: file, names: make(map[string]*Func), vars: make(map[string]uint64)}
	im.relocations = sync.OnceValue(im.readRelocations)
	if err := im.read(); err != nil {
		file.Close()
		return nil, err
	}
	return im, nil
}

// Close closes the file.
func (im *Image) Close() error { return im.file.Close() }

func (im *Image) read() (err error) {
	if im.elf, err = elf.NewFile(im.file); err != nil {
		return refuse("%s is no executable of Linux: %v", im.Path, err)
	}
	if im.elf.Class != elf.ELFCLASS64 || im.elf.Machine != elf.EM_X86_64 {
		return refuse("%s is a program for %v: only those for x86-64 can be patched", im.Path, im.elf.Machine)
	}
	info, err := buildinfo.Read(im.file)
	if err != nil {
		return refuse("%s is no Go program, or it is packed: %v", im.Path, err)
	}
	im.Release, _, _ = strings.Cut(info.GoVersion, " ")
	im.Main, im.Module = info.Path, info.Main.Path
	for _, s := range info.Settings {
		im.Arenas = im.Arenas || s.Key == "GOEXPERIMENT" && slices.Contains(strings.Split(s.Value, ","), "arenas")
		switch {
		case s.Key == "-buildmode" && slices.Contains([]string{"plugin", "shared", "c-shared", "c-archive"}, s.Value), s.Key == "-linkshared" && s.Value == "true":
			return refuse("%s was built with %s=%s: its code uses registers that patches need", im.Path, s.Key, s.Value)
		case s.Key == "-tags" && slices.Contains(strings.Split(s.Value, ","), library.Tag):
			im.Built = true
		case s.Key == "-compiler" && s.Value != "gc":
			return refuse("%s was built by %s: only programs of the compiler gc can be patched", im.Path, s.Value)
		}
	}
	if err := im.readSegments(); err != nil {
		return err
	}
	im.readSymbols()
	if err := im.readFuncs(); err != nil {
		return err
	}
	if im.Named("plugin.open") != nil {
		return refuse("%s loads plugins, whose code uses registers that patches need", im.Path)
	}
	return im.readLayout()
}

func (im *Image) readSegments() error {
	text := im.elf.Section(".text")
	if text == nil {
		return refuse("%s has no section .text", im.Path)
	}
	var err error
	if im.code, err = text.Data(); err != nil {
		return fmt.Errorf("%s: %w", im.Path, err)
	}
	im.Text = Range{text.Addr, text.Addr + uint64(len(im.code))}
	first := true
	for _, p := range im.elf.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if first || p.Vaddr < im.Segments.Low {
			im.Segments.Low = p.Vaddr
		}
		first = false
		im.Segments.High = max(im.Segments.High, p.Vaddr+p.Memsz)
		if p.Flags&elf.PF_X != 0 && p.Vaddr <= im.Text.Low && im.Text.High <= p.Vaddr+p.Filesz {
			im.exec = p.ProgHeader
			end := p.Vaddr + p.Filesz
			im.Slack = Range{(end + 15) &^ 15, (end + PageSize - 1) &^ (PageSize - 1)}
		}
	}
	if im.exec.Filesz == 0 {
		return refuse("%s has no segment for its code", im.Path)
	}
	return nil
}

// readSymbols notes addresses of symbols. A stripped program has none.
func (im *Image) readSymbols() {
	list, err := im.elf.Symbols()
	if err != nil {
		return
	}
	for _, s := range list {
		if strings.HasPrefix(s.Name, "runtime.") {
			im.vars[s.Name] = s.Value
		}
	}
}

// Stripped reports whether the program has no symbols.
func (im *Image) Stripped() bool { return len(im.vars) == 0 || im.vars["runtime.text"] == 0 }

// Page returns the page of code at an address, as the file has it.
func (im *Image) Page(at uint64) ([]byte, error) {
	b := make([]byte, PageSize)
	off := int64(at) - int64(im.exec.Vaddr) + int64(im.exec.Off)
	if at%PageSize != 0 || off < 0 {
		return nil, fmt.Errorf("%#x is no page of %s", at, im.Path)
	}
	n, err := im.file.ReadAt(b, off)
	if n == 0 && err != nil {
		return nil, err
	}
	return b, nil
}

// Code returns the program's code, from Text.Low on.
func (im *Image) Code() []byte { return im.code }

// Named returns the function with a name, nil if there is none.
func (im *Image) Named(name string) *Func { return im.names[name] }

// At returns the function that an address is in, nil if there is none.
func (im *Image) At(pc uint64) *Func {
	i, found := slices.BinarySearchFunc(im.Funcs, pc, func(f *Func, pc uint64) int {
		switch {
		case f.Entry > pc:
			return 1
		case f.End <= pc:
			return -1
		}
		return 0
	})
	if !found {
		return nil
	}
	return im.Funcs[i]
}

// Data returns n bytes at an address as the file has them; nil: it doesn't.
func (im *Image) Data(at uint64, n int) []byte {
	b := make([]byte, n)
	if s := im.sectionOf(at); s != nil {
		if _, err := s.ReadAt(b, int64(at-s.Addr)); err == nil {
			return b
		}
	}
	return nil
}

// Section returns the content of the section with a name, whether it is compressed or not; nil: there is none.
func (im *Image) Section(name string) []byte {
	if s := im.elf.Section(name); s != nil {
		if b, err := s.Data(); err == nil {
			return b
		}
	}
	return nil
}

// section returns the content of the section that has an address, from the address on.
func (im *Image) section(at uint64) []byte {
	if s := im.sectionOf(at); s != nil {
		if b, err := s.Data(); err == nil {
			return b[at-s.Addr:]
		}
	}
	return nil
}

// sectionOf returns the section of the file that has an address; nil: there is none.
func (im *Image) sectionOf(at uint64) *elf.Section {
	for _, s := range im.elf.Sections {
		if s.Type != elf.SHT_NOBITS && s.Addr != 0 && s.Addr <= at && at < s.Addr+s.Size {
			return s
		}
	}
	return nil
}

// tables are the parts of a program's table of functions.
type tables struct {
	at                               uint64 // its address
	base                             uint64 // what entries count from
	names, units, files, values, all []byte
	inlines                          []byte // what functions' data counts from; nil: it isn't known where that is
}

// Magic of the tables of functions from Go 1.20 on.
const magic = 0xfffffff1

// errTables is the error of tables that don't make sense.
var errTables = errors.New("its table of functions is damaged")

func (im *Image) readFuncs() (err error) {
	var b []byte
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := im.elf.Section(name); s != nil && b == nil {
			if b, err = s.Data(); err != nil {
				return fmt.Errorf("%s: %w", im.Path, err)
			}
			im.tables.at = s.Addr
		}
	}
	if at := im.vars["runtime.pclntab"]; b == nil && at != 0 {
		b, im.tables.at = im.section(at), at
	}
	le := binary.LittleEndian
	if len(b) < 72 {
		return refuse("%s has no table of functions, as Go programs have it", im.Path)
	}
	if m := le.Uint32(b); m != magic || b[6] != 1 || b[7] != 8 {
		return refuse("%s, of %s, has a table of functions of another form (%#x)", im.Path, im.Release, m)
	}
	defer func() {
		if recover() != nil { // an index out of range
			err = refuse("%s: %v", im.Path, errTables)
		}
	}()
	n := int(le.Uint64(b[8:]))
	t := &im.tables
	t.names, t.units, t.files = b[le.Uint64(b[32:]):], b[le.Uint64(b[40:]):], b[le.Uint64(b[48:]):]
	t.values, t.all = b[le.Uint64(b[56:]):], b[le.Uint64(b[64:]):]
	if n > len(t.all)/8 {
		return refuse("%s: %v", im.Path, errTables)
	}
	im.Funcs = make([]*Func, n)
	for i := range im.Funcs {
		record := t.all[le.Uint32(t.all[i*8+4:]):]
		_ = record[recordTables-1] // the last of the bytes that are always there
		im.Funcs[i] = &Func{im: im, record: record, Name: text(t.names[le.Uint32(record[4:]):]),
			Entry: uint64(le.Uint32(t.all[i*8:])), End: uint64(le.Uint32(t.all[i*8+8:])), id: record[40], flags: record[41]}
		if f := im.Funcs[i]; im.names[f.Name] == nil || im.names[f.Name].Wrapper() { // one that adapts calls has its function's name
			im.names[f.Name] = f
		}
	}
	if t.base, err = im.findBase(); err != nil {
		return err
	}
	for _, f := range im.Funcs {
		f.Entry += t.base
		f.End += t.base
	}
	t.inlines = im.readInlines()
	return nil
}

// findBase returns the address that the entries of functions count from: that of runtime.text, which is
// not that of the section where C code stands before it.
func (im *Image) findBase() (uint64, error) {
	if at := im.vars["runtime.text"]; at != 0 {
		return at, nil
	}
	if f := im.names["_rt0_amd64_linux"]; f != nil && im.Text.Low+f.Entry == im.elf.Entry {
		return im.Text.Low, nil
	}
	return 0, refuse("%s is stripped and has C code: nothing says where its Go code begins", im.Path)
}

// text returns a text that ends with a zero byte.
func text(b []byte) string {
	before, _, _ := bytes.Cut(b, []byte{0})
	return string(before)
}
