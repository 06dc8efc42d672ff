package condition

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrBad is what errors of Decode wrap.
var ErrBad = errors.New("not a condition")

// Decode decodes and verifies a program.
func Decode(b []byte) (*Program, error) {
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrBad, len(b), MaxBytes)
	}
	d := decoder{b: b, size: len(b)}
	if v := d.byte(); v != Version && d.err == nil {
		return nil, fmt.Errorf("%w that this program knows: version %d, want %d", ErrBad, v, Version)
	}
	p := &Program{Text: d.string(MaxBytes), Enter: d.code()}
	if n := d.number(MaxSlots); n > 0 {
		p.Slots = make([]Code, n)
	}
	for i := range p.Slots {
		p.Slots[i] = d.code()
	}
	p.Exit = d.code()
	if len(d.b) > 0 {
		d.fail("bytes behind the end")
	}
	if d.err != nil {
		return nil, d.err
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	return p, nil
}

type decoder struct {
	b    []byte
	size int
	err  error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s at byte %d", ErrBad, what, d.size-len(d.b))
	}
	d.b = nil
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("end")
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// number reads a number up to most.
func (d *decoder) number(most int) int {
	v := d.uvarint()
	if v > uint64(most) {
		d.fail("too great a number")
		return 0
	}
	return int(v)
}

func (d *decoder) string(most int) string {
	n := d.number(most)
	if n > len(d.b) {
		d.fail("bad length")
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) code() Code {
	n := d.number(MaxInstructions)
	if n == 0 {
		return nil
	}
	c := make(Code, 0, min(n, len(d.b)))
	for ; n > 0 && d.err == nil; n-- {
		c = append(c, d.instruction())
	}
	return c
}

func (d *decoder) instruction() (in Instruction) {
	in.Op = Opcode(d.byte())
	switch in.Op {
	case Value:
		d.value(&in)
	case Int:
		in.Bits = uint64(d.varint())
	case Uint:
		in.Bits = d.uvarint()
	case Float:
		if len(d.b) < 8 {
			d.fail("end")
			return in
		}
		in.Bits = binary.LittleEndian.Uint64(d.b)
		d.b = d.b[8:]
	case Text:
		in.Text = d.string(MaxString)
	case Bool:
		in.Bits = uint64(d.small(1))
	case Slot:
		in.Index = int(d.small(MaxSlots - 1))
	case Compare:
		in.Rel = Relation(d.small(byte(Less | Equal | Greater | Unordered)))
	case And, Or:
		in.Skip = int(d.byte())
	case Find:
		in.Find = Finder(d.small(byte(Suffix)))
	}
	return in
}

func (d *decoder) value(in *Instruction) {
	in.Root = Root(d.small(byte(Result)))
	if d.small(1) == 0 {
		in.Index = d.number(MaxIndex)
	} else if in.Name = d.string(MaxString); in.Name == "" {
		d.fail("no name")
	}
	n := int(d.small(MaxSteps))
	if n > 0 {
		in.Steps = make([]Step, 0, n)
	}
	for ; n > 0 && d.err == nil; n-- {
		s := Step{Kind: StepKind(d.small(byte(Len)))}
		switch s.Kind {
		case Field:
			s.Name = d.string(MaxString)
		case Elem:
			s.Index = d.number(MaxIndex)
		case Deref, Len:
		default:
			d.fail("bad step")
		}
		in.Steps = append(in.Steps, s)
	}
}

// small reads a byte up to most.
func (d *decoder) small(most byte) byte {
	v := d.byte()
	if v > most {
		d.fail("bad byte")
		return 0
	}
	return v
}
