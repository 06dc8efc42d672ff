package condition

import "encoding/binary"

// Append appends the encoded program.
func (p *Program) Append(dst []byte) []byte {
	dst = appendString(append(dst, Version), p.Text)
	dst = p.Enter.append(dst)
	dst = binary.AppendUvarint(dst, uint64(len(p.Slots)))
	for _, c := range p.Slots {
		dst = c.append(dst)
	}
	return p.Exit.append(dst)
}

func (c Code) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c)))
	for i := range c {
		dst = c[i].append(dst)
	}
	return dst
}

func (in *Instruction) append(dst []byte) []byte {
	dst = append(dst, byte(in.Op))
	switch in.Op {
	case Value:
		return in.appendValue(dst)
	case Int:
		return binary.AppendVarint(dst, int64(in.Bits))
	case Uint:
		return binary.AppendUvarint(dst, in.Bits)
	case Float:
		return binary.LittleEndian.AppendUint64(dst, in.Bits)
	case Text:
		return appendString(dst, in.Text)
	case Bool:
		return append(dst, byte(in.Bits))
	case Slot:
		return append(dst, byte(in.Index))
	case Compare:
		return append(dst, byte(in.Rel))
	case And, Or:
		return append(dst, byte(in.Skip))
	case Find:
		return append(dst, byte(in.Find))
	}
	return dst
}

func (in *Instruction) appendValue(dst []byte) []byte {
	dst = append(dst, byte(in.Root))
	if in.Name == "" {
		dst = binary.AppendUvarint(append(dst, 0), uint64(in.Index))
	} else {
		dst = appendString(append(dst, 1), in.Name)
	}
	dst = append(dst, byte(len(in.Steps)))
	for _, s := range in.Steps {
		dst = append(dst, byte(s.Kind))
		switch s.Kind {
		case Field:
			dst = appendString(dst, s.Name)
		case Elem:
			dst = binary.AppendUvarint(dst, uint64(s.Index))
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
