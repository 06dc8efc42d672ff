package notes

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// An added section has bytes of its own, or a header that describes bytes of the file.
type added struct {
	name   string
	data   []byte
	header elf.Section64
}

// appendSections returns an ELF file of 64 bits with more sections. What was there stays where it is:
// the new bytes, and all section headers, come behind it.
func appendSections(data []byte, order binary.ByteOrder, list []added) ([]byte, error) {
	var head elf.Header64
	if err := binary.Read(bytes.NewReader(data), order, &head); err != nil {
		return nil, err
	}
	const size = 64 // of a section header
	if head.Shentsize != size || head.Shstrndx >= head.Shnum {
		return nil, fmt.Errorf("section headers of %d bytes, names in section %d of %d: not what linkers make", head.Shentsize, head.Shstrndx, head.Shnum)
	}
	sections := make([]elf.Section64, head.Shnum)
	if head.Shoff > uint64(len(data)) {
		return nil, fmt.Errorf("section headers at %#x, the file has %#x bytes", head.Shoff, len(data))
	}
	if err := binary.Read(bytes.NewReader(data[head.Shoff:]), order, sections); err != nil {
		return nil, fmt.Errorf("section headers: %w", err)
	}
	names := &sections[head.Shstrndx]
	if names.Off+names.Size > uint64(len(data)) {
		return nil, fmt.Errorf("names of sections end at %#x, the file has %#x bytes", names.Off+names.Size, len(data))
	}
	text := bytes.Clone(data[names.Off : names.Off+names.Size])

	out := bytes.Clone(data)
	align := func(n int) {
		for len(out)%n != 0 {
			out = append(out, 0)
		}
	}
	for _, a := range list {
		a.header.Name = uint32(len(text))
		text = append(append(text, a.name...), 0)
		if a.data != nil {
			align(int(a.header.Addralign))
			a.header.Off, a.header.Size = uint64(len(out)), uint64(len(a.data))
			out = append(out, a.data...)
		}
		sections = append(sections, a.header)
	}
	sections[head.Shstrndx].Off, sections[head.Shstrndx].Size = uint64(len(out)), uint64(len(text))
	out = append(out, text...)
	align(8)
	head.Shoff, head.Shnum = uint64(len(out)), uint16(len(sections))
	var b bytes.Buffer
	if err := binary.Write(&b, order, sections); err != nil {
		return nil, err
	}
	out = append(out, b.Bytes()...)
	b.Reset()
	if err := binary.Write(&b, order, &head); err != nil {
		return nil, err
	}
	copy(out, b.Bytes())
	return out, nil
}
