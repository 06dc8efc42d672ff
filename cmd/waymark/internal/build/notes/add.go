package notes

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// registers are those that hold the arguments of a probe at its location. The assembly in package
// runtime puts them there, and so does the assembly in package probe.
var registers = map[usdt.Arch][]string{
	usdt.AMD64: {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13"},
	usdt.ARM64: {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11"},
}

// sizes are those of a location.
var sizes = map[usdt.Arch]uint64{usdt.AMD64: 16, usdt.ARM64: 8}

// Add adds the notes for a program's tables of probes to its file, and returns the number of probes.
// A file without tables stays as it is.
func Add(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	out, n, err := complete(data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if n == 0 {
		return 0, nil
	}
	if err := os.WriteFile(path, out, info.Mode().Perm()); err != nil {
		return 0, err
	}
	return n, nil
}

// complete returns a program with notes, and how many it has.
func complete(data []byte) ([]byte, int, error) {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, 0, fmt.Errorf("USDT probes need a program in the format ELF, as linux has: %w", err)
	}
	defer file.Close()
	arch, ok := archOf(file)
	if !ok {
		return nil, 0, fmt.Errorf("USDT probes need linux on amd64 or arm64, this program is for %v", file.Machine)
	}
	if file.Section(usdt.NoteSection) != nil && file.Section(usdt.DetailsSection) != nil {
		return nil, 0, fmt.Errorf("it has notes already")
	}
	variables, err := section(file, data, ".noptrdata")
	if err != nil {
		return nil, 0, err
	}
	tables, err := probetable.Find(variables.bytes)
	if err != nil || len(tables) == 0 {
		return nil, 0, err
	}
	text, err := section(file, data, ".text")
	if err != nil {
		return nil, 0, err
	}
	magic := bytes.Index(text.bytes, []byte(probetable.PoolMagic))
	if magic < 0 {
		return nil, 0, nil // the linker has left the pool out: nothing fires, as where providers have other sinks only
	}
	p := &program{arch: arch, variables: variables, text: text, pool: text.Addr + uint64(magic+len(probetable.PoolMagic))}
	// The same table twice is of a package that was compiled twice.
	slices.SortStableFunc(tables, func(a, b *probetable.Found) int { return strings.Compare(name(a), name(b)) })
	for _, t := range tables {
		if err := p.add(t); err != nil {
			return nil, 0, err
		}
	}
	details, err := p.details.Encode()
	if err != nil {
		return nil, 0, err
	}
	out, err := appendSections(data, file.ByteOrder, []added{
		// These describe what is there. bcc reads the section headers in their order, and wants to know of
		// semaphores before it reads notes. Tracers take from .probes how far a semaphore's place in the file
		// is from its address. Where two sections overlap, strip would move one of them.
		{name: usdt.BaseSection, header: elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC), Addr: text.Addr, Off: text.Offset, Addralign: 1}},
		{name: usdt.SemaphoreSection, header: elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_WRITE), Addr: variables.Addr, Off: variables.Offset, Addralign: 2}},
		{name: usdt.NoteSection, data: p.notes, header: elf.Section64{Type: uint32(elf.SHT_NOTE), Addralign: 4}},
		{name: usdt.DetailsSection, data: details, header: elf.Section64{Type: uint32(elf.SHT_PROGBITS), Addralign: 1}},
	})
	return out, p.n, err
}

// archOf returns the processor of a program.
func archOf(file *elf.File) (usdt.Arch, bool) {
	if file.Class != elf.ELFCLASS64 || file.Data != elf.ELFDATA2LSB {
		return 0, false
	}
	switch file.Machine {
	case elf.EM_X86_64:
		return usdt.AMD64, true
	case elf.EM_AARCH64:
		return usdt.ARM64, true
	}
	return 0, false
}

// A part is a section with its bytes in the file.
type part struct {
	*elf.Section
	bytes []byte
}

func section(file *elf.File, data []byte, name string) (part, error) {
	s := file.Section(name)
	if s == nil || s.Type != elf.SHT_PROGBITS || s.Offset+s.Size > uint64(len(data)) {
		return part{}, fmt.Errorf("the program has no section %s: is it one of the go command's?", name)
	}
	return part{s, data[s.Offset : s.Offset+s.Size]}, nil
}

// name returns the name of a table's first probe, by which tables are sorted, wherever the
// linker puts them.
func name(t *probetable.Found) string {
	for _, s := range t.Sites {
		if s.Entry != nil {
			return s.Entry.Provider + ":" + s.Entry.Name
		}
	}
	return ""
}

// A program is one that notes are added to.
type program struct {
	arch            usdt.Arch
	variables, text part
	pool            uint64 // address of the first location
	n               int    // probes so far, each with the next location
	notes           []byte
	details         usdt.Details
}

// add adds the probes of a table.
func (p *program) add(t *probetable.Found) error {
	for i := range t.Sites {
		for kind, probe := range []*probetable.Probe{t.Sites[i].Entry, t.Sites[i].Return} {
			if probe == nil {
				continue
			}
			if p.n == probetable.Locations {
				return fmt.Errorf("the program has more than %d probes: name fewer functions", probetable.Locations)
			}
			t.SetLocation(p.variables.bytes, i, kind, p.n)
			semaphore := p.variables.Addr + uint64(t.Semaphore(i, kind))
			note := usdt.Note{
				Provider: probe.Provider, Name: probe.Name,
				Location: p.pool + uint64(p.n)*sizes[p.arch], Base: p.text.Addr, Semaphore: semaphore,
			}
			for j, a := range probe.Args {
				note.Args = append(note.Args, usdt.Register(max(a.Size, -a.Size), a.Size < 0, registers[p.arch][j]))
			}
			var err error
			if p.notes, err = usdt.Append(p.notes, p.arch, note); err != nil {
				return err
			}
			p.describe(probe)
			p.n++
		}
	}
	return nil
}

// describe notes what notes can't hold.
func (p *program) describe(probe *probetable.Probe) {
	list := p.details.Providers
	i := slices.IndexFunc(list, func(d usdt.Provider) bool { return d.Name == probe.Provider && d.Module == probe.Module })
	if i < 0 {
		i = len(list)
		list = append(list, usdt.Provider{Name: probe.Provider, Module: probe.Module, Attributes: probe.Attributes})
	}
	d := usdt.Probe{Name: probe.Name, Function: probe.Function}
	for _, a := range probe.Args {
		d.Args = append(d.Args, strings.TrimPrefix(a.Name+" "+a.Type, "_ "))
	}
	list[i].Probes = append(list[i].Probes, d)
	p.details.Providers = list
}
