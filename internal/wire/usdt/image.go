package usdt

import (
	"bytes"

	"debug/elf"
	"encoding/binary"
	"hash/fnv"
)

// An Image is a shared object that holds the places of a provider's probes, one function each, and
// nothing else. A program that has no probes in its own file maps one and calls the functions.
type Image struct {
	Arch     Arch
	Page     int // size of pages, bytes
	Provider string
	Probes   []ImageProbe
	Details  []byte // of the section .waymark.probes
}

// An ImageProbe is a probe of an Image.
type ImageProbe struct {
	Name string
	Args []Arg
}

// A Layout says where things are in an encoded image, in bytes from its beginning. Addresses in the
// file are the same numbers. The parts begin at pages.
type Layout struct {
	Text, Cells, End int   // parts: read only up to Text, executable up to Cells, writable up to End
	Sites            []int // functions, by probe
	Semaphores       []int // cells of CellSize bytes, by probe
}

// CellSize is the room that each semaphore has, in bytes. Tracers use the first two: the rest is the
// program's.
const CellSize = 4

// slot is the room of a place and its return, in bytes.
const slot = 32

// Sections of an image, by index. Tracers want the notes behind the code.
const (
	sectionID = 1 + iota
	sectionBase
	sectionText
	sectionCells
	sectionNotes
	sectionDetails
	sectionSymbols
	sectionStrings
	sectionNames
	sectionCount
)

var sectionNamed = [sectionCount]string{
	"", ".note.gnu.build-id", BaseSection, ".text", SemaphoreSection, NoteSection, DetailsSection, ".symtab", ".strtab", ".shstrtab",
}

const (
	headerSize  = 64
	programSize = 56
	programs    = 4
	sumSize     = 16 // bytes of a file's sum
	buildIDSize = 16 + sumSize
)

// Encode returns the shared object. The errors are those of Append.
func (m *Image) Encode() ([]byte, *Layout, error) {
	up := func(n int) int { return (n + m.Page - 1) / m.Page * m.Page }
	count := len(m.Probes)
	id := headerSize + programs*programSize
	base := id + buildIDSize
	l := &Layout{Text: up(base + 1)}
	l.Cells = l.Text + up(max(count, 1)*slot)
	l.End = l.Cells + up(max(count, 1)*CellSize)

	var notes []byte
	symbols, names := make([]byte, 24), []byte{0}
	for i, p := range m.Probes {
		l.Sites = append(l.Sites, l.Text+i*slot)
		l.Semaphores = append(l.Semaphores, l.Cells+i*CellSize)
		var err error
		notes, err = Append(notes, m.Arch, Note{
			Provider: m.Provider, Name: p.Name, Args: p.Args,
			Location: uint64(l.Sites[i]), Base: uint64(base), Semaphore: uint64(l.Semaphores[i]),
		})
		if err != nil {
			return nil, nil, err
		}
		symbols = appendAll(symbols, elf.Sym64{
			Name: uint32(len(names)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: sectionText,
			Value: uint64(l.Sites[i]), Size: uint64(len(m.Arch.Site()) + len(m.Arch.Return())),
		})
		names = append(append(names, m.Provider+"."+p.Name...), 0)
	}

	var titles []byte
	sections := [sectionCount]elf.Section64{
		sectionID:      {Type: uint32(elf.SHT_NOTE), Flags: uint64(elf.SHF_ALLOC), Addr: uint64(id), Off: uint64(id), Size: buildIDSize, Addralign: 4},
		sectionBase:    {Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC), Addr: uint64(base), Off: uint64(base), Size: 1, Addralign: 1},
		sectionText:    {Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: uint64(l.Text), Off: uint64(l.Text), Size: uint64(count * slot), Addralign: slot},
		sectionCells:   {Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_WRITE), Addr: uint64(l.Cells), Off: uint64(l.Cells), Size: uint64(count * CellSize), Addralign: CellSize},
		sectionNotes:   {Type: uint32(elf.SHT_NOTE), Addralign: 4},
		sectionDetails: {Type: uint32(elf.SHT_PROGBITS), Addralign: 1},
		sectionSymbols: {Type: uint32(elf.SHT_SYMTAB), Link: sectionStrings, Info: 1, Addralign: 8, Entsize: 24},
		sectionStrings: {Type: uint32(elf.SHT_STRTAB), Addralign: 1},
		sectionNames:   {Type: uint32(elf.SHT_STRTAB), Addralign: 1},
	}
	for i, name := range sectionNamed {
		sections[i].Name = uint32(len(titles))
		titles = append(append(titles, name...), 0)
	}

	b := make([]byte, l.End)
	for i := range m.Probes {
		code := append(m.Arch.Site(), m.Arch.Return()...)
		for at := l.Sites[i]; at < l.Sites[i]+slot; { // nothing runs behind the return
			at += copy(b[at:l.Sites[i]+slot], code)
			code = m.Arch.Return()
		}
	}
	for i, content := range [][]byte{notes, m.Details, symbols, names, titles} {
		s := &sections[sectionNotes+i]
		for uint64(len(b))%s.Addralign != 0 {
			b = append(b, 0)
		}
		s.Off, s.Size = uint64(len(b)), uint64(len(content))
		b = append(b, content...)
	}
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	table := len(b)
	for _, s := range sections {
		b = appendAll(b, s)
	}
	copy(b, m.header(l, id, table))
	copy(b[id:], buildID(b))
	return b, l, nil
}

// header returns the file's header and its program headers.
func (m *Image) header(l *Layout, id, table int) []byte {
	machine := elf.EM_X86_64
	if m.Arch == ARM64 {
		machine = elf.EM_AARCH64
	}
	b := appendAll(nil, elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: headerSize, Shoff: uint64(table), Ehsize: headerSize,
		Phentsize: programSize, Phnum: programs, Shentsize: 64, Shnum: sectionCount, Shstrndx: sectionNames,
	})
	load := func(from, to int, flags elf.ProgFlag) elf.Prog64 {
		return elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Off: uint64(from), Vaddr: uint64(from), Paddr: uint64(from),
			Filesz: uint64(to - from), Memsz: uint64(to - from), Align: uint64(m.Page)}
	}
	b = appendAll(b, load(0, l.Text, elf.PF_R))
	b = appendAll(b, load(l.Text, l.Cells, elf.PF_R|elf.PF_X))
	b = appendAll(b, load(l.Cells, l.End, elf.PF_R|elf.PF_W))
	return appendAll(b, elf.Prog64{Type: uint32(elf.PT_NOTE), Flags: uint32(elf.PF_R), Off: uint64(id), Vaddr: uint64(id), Paddr: uint64(id),
		Filesz: buildIDSize, Memsz: buildIDSize, Align: 4})
}

// buildID returns a note with a sum of the file, by which perf knows it.
func buildID(file []byte) []byte {
	sum := fnv.New128a()
	sum.Write(file)
	return sum.Sum(append(appendAll(nil, [3]uint32{4, sumSize, 3}), "GNU\x00"...))
}

// appendAll appends a struct or array of numbers.
func appendAll(b []byte, v any) []byte {
	buffer := bytes.NewBuffer(b)
	binary.Write(buffer, binary.LittleEndian, v) // a Buffer has no errors
	return buffer.Bytes()
}
