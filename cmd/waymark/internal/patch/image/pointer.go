package image

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// A relocation is an address that a program keeps somewhere, if it is independent of its position.
type relocation struct{ where, value uint64 }

// readRelocations returns the relocations in the order of where they are. Other programs have none.
func (im *Image) readRelocations() (list []relocation) {
	if im.elf.Type != elf.ET_DYN {
		return nil
	}
	le := binary.LittleEndian
	for _, s := range im.elf.Sections {
		switch b, _ := s.Data(); s.Type {
		case elf.SHT_RELA:
			for ; len(b) >= 24; b = b[24:] {
				if le.Uint32(b[8:]) == uint32(elf.R_X86_64_RELATIVE) {
					list = append(list, relocation{le.Uint64(b), le.Uint64(b[16:])})
				}
			}
		case packed:
			for _, at := range unpack(b) {
				list = append(list, relocation{at, im.word(at)})
			}
		}
	}
	slices.SortFunc(list, func(a, b relocation) int { return cmp.Compare(a.where, b.where) })
	return list
}

// packed is the type of sections (SHT_RELR) that linkers write with -z pack-relative-relocs. The
// addresses themselves stand where the program keeps them.
const packed elf.SectionType = 19

// unpack returns where the addresses of a packed section are. A word of it is where one is, or has
// a bit for each of the 63 words that follow, above a lowest bit that is set.
func unpack(b []byte) (list []uint64) {
	next := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		if w&1 == 0 {
			list, next = append(list, w), w+8
			continue
		}
		for i := range uint64(63) {
			if w>>(i+1)&1 != 0 {
				list = append(list, next+i*8)
			}
		}
		next += 63 * 8
	}
	return list
}

// word returns the word at an address as the file has it; 0: it has none.
func (im *Image) word(at uint64) uint64 {
	if b := im.Data(at, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// pointer returns the address that the program keeps at an address, as the linker has set it; 0: it
// keeps none there.
func (im *Image) pointer(at uint64) uint64 {
	if im.elf.Type != elf.ET_DYN {
		return im.word(at)
	}
	list := im.relocations()
	i, found := slices.BinarySearchFunc(list, at, func(r relocation, at uint64) int { return cmp.Compare(r.where, at) })
	if !found { // an integer
		return 0
	}
	return list[i].value
}

// findPointer returns where the program keeps an address, 0: nowhere.
func (im *Image) findPointer(to uint64) (at uint64) {
	for _, r := range im.relocations() {
		if r.value == to {
			return r.where
		}
	}
	for _, s := range im.elf.Sections {
		if im.elf.Type == elf.ET_DYN || s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE == 0 && s.Name != ".go.module" {
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

// Pointers returns the addresses of the function's code that the program keeps from an address on,
// most at most, up to the first that is of something else.
func (f *Func) Pointers(at uint64, most int) (list []uint64) {
	for ; len(list) < most; at += 8 {
		to := f.im.pointer(at)
		if to <= f.Entry || to >= f.End { // at its entry: a value of type func, not a place in its code
			break
		}
		list = append(list, to)
	}
	return list
}
