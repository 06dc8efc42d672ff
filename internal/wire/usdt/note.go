package usdt

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Sections of an ELF file with probes.
const (
	NoteSection      = ".note.stapsdt"
	BaseSection      = ".stapsdt.base"
	SemaphoreSection = ".probes"
	DetailsSection   = ".waymark.probes" // Details, of waymark
)

const (
	noteName  = "stapsdt\x00"
	noteType  = 3
	noteHead  = 12      // sizes and type
	addresses = 3 * 8   // that a description begins with
	noteLimit = 1 << 16 // bytes of a description: more is damage
)

// A Note describes a probe. Addresses are those of the file.
type Note struct {
	Provider, Name string
	Location       uint64 // of the instruction that tracers replace
	Base           uint64 // of the section .stapsdt.base
	Semaphore      uint64 // of the 16-bit counter of tracers, 0: none
	Args           []Arg
}

// Size returns the number of bytes that Append appends for the note.
func (n *Note) Size(arch Arch) int {
	return noteHead + len(noteName) + round(n.described(arch))
}

// described returns the length of the description, without what fills it up.
func (n *Note) described(arch Arch) int {
	return addresses + len(n.Provider) + 1 + len(n.Name) + 1 + len(FormatArgs(n.Args, arch)) + 1
}

// round returns n, rounded up to what notes are aligned to.
func round(n int) int { return (n + 3) &^ 3 }

// Append appends the encoded notes to section, which is a multiple of 4 bytes long, and returns the
// result. The error is a NameError, an ArgError or a CountError; the result is then nil.
func Append(section []byte, arch Arch, notes ...Note) ([]byte, error) {
	for i := range notes {
		n := &notes[i]
		if err := n.Check(arch); err != nil {
			return nil, err
		}
		size := n.described(arch)
		section = binary.LittleEndian.AppendUint32(section, uint32(len(noteName)))
		section = binary.LittleEndian.AppendUint32(section, uint32(size))
		section = binary.LittleEndian.AppendUint32(section, noteType)
		section = append(section, noteName...)
		for _, address := range []uint64{n.Location, n.Base, n.Semaphore} {
			section = binary.LittleEndian.AppendUint64(section, address)
		}
		for _, text := range []string{n.Provider, n.Name, FormatArgs(n.Args, arch)} {
			section = append(append(section, text...), 0)
		}
		section = append(section, make([]byte, round(size)-size)...)
	}
	return section, nil
}

// Check returns what keeps the note from being encoded: a NameError, an ArgError or a CountError.
func (n *Note) Check(arch Arch) error {
	if err := CheckProvider(n.Provider); err != nil {
		return err
	}
	if err := CheckName(n.Name); err != nil {
		return err
	}
	if err := CheckCount(len(n.Args)); err != nil {
		return err
	}
	for _, a := range n.Args {
		if err := a.check(arch); err != nil {
			return err
		}
	}
	return nil
}

// Decode returns the notes of a section .note.stapsdt. Notes of other names and types are passed
// over. Arguments that can't be understood have the Kind Unknown. With damage, a FormatError, come
// the notes before it.
func Decode(section []byte, arch Arch) ([]Note, error) {
	var notes []Note
	for at := 0; at < len(section); {
		rest := section[at:]
		if len(rest) < noteHead {
			if len(bytes.Trim(rest, "\x00")) == 0 {
				break // the end is filled up
			}
			return notes, &FormatError{at, fmt.Sprintf("%d bytes are left, a note has at least %d", len(rest), noteHead)}
		}
		nameSize, size := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		if nameSize > noteLimit || size > noteLimit {
			return notes, &FormatError{at, fmt.Sprintf("a name of %d and a description of %d bytes, at most %d are read", nameSize, size, noteLimit)}
		}
		from := noteHead + round(int(nameSize))
		end := from + round(int(size))
		if from+int(size) > len(rest) {
			return notes, &FormatError{at, fmt.Sprintf("a note of %d bytes, %d are left", from+int(size), len(rest))}
		}
		if string(rest[noteHead:noteHead+int(nameSize)]) == noteName && binary.LittleEndian.Uint32(rest[8:]) == noteType {
			n, err := decode(rest[from:from+int(size)], at+from, arch)
			if err != nil {
				return notes, err
			}
			notes = append(notes, n)
		}
		at += end
	}
	return notes, nil
}

// decode returns the note of a description that begins at the offset.
func decode(d []byte, at int, arch Arch) (Note, error) {
	if len(d) < addresses {
		return Note{}, &FormatError{at, fmt.Sprintf("a description of %d bytes, its addresses alone have %d", len(d), addresses)}
	}
	n := Note{
		Location:  binary.LittleEndian.Uint64(d),
		Base:      binary.LittleEndian.Uint64(d[8:]),
		Semaphore: binary.LittleEndian.Uint64(d[16:]),
	}
	var texts [3]string
	rest := d[addresses:]
	for i := range texts {
		text, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return Note{}, &FormatError{at + len(d) - len(rest), "a text has no end: want provider, name and arguments, each with a 0 byte"}
		}
		texts[i], rest = string(text), after
	}
	n.Provider, n.Name = texts[0], texts[1]
	n.Args = ParseArgs(texts[2], arch)
	return n, nil
}

// A FormatError says where a section of notes is damaged.
type FormatError struct {
	Offset int // in bytes, from the section's beginning
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s, offset %d: %s", NoteSection, e.Offset, e.Reason)
}
