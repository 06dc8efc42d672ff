package levels

import (
	"encoding/binary"
	"errors"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
)

var errDamaged = errors.New("damaged")

// maxStroke is how long an encoded stroke can get, with the goroutine before it: a byte and eleven
// varints.
const maxStroke = 1 + 12*binary.MaxVarintLen64

// Bits of a stroke's first byte. The lowest two are its kind.
const (
	hasFlags = 1 << 2
	hasLow   = 1 << 3 // Low is neither 0 of a single one, nor High of several
)

// appendStroke encodes a stroke without its goroutine. start is that of the stroke before.
func appendStroke(b []byte, st *calltree.Stroke, start uint64) []byte {
	head := byte(st.Kind)
	several := st.Kind == calltree.Shorts || st.Kind == calltree.Waits
	if st.Flags != 0 {
		head |= hasFlags
	}
	if several && st.Low != st.High {
		head |= hasLow
	}
	b = append(b, head, st.High)
	if head&hasLow != 0 {
		b = append(b, st.Low)
	}
	length := st.End - st.Start
	b = binary.AppendVarint(b, int64(st.Start-start))
	b = binary.AppendUvarint(b, length)
	b = binary.AppendUvarint(b, uint64(st.Site))
	if head&hasFlags != 0 {
		b = binary.AppendUvarint(b, uint64(st.Flags))
	}
	if st.Kind <= calltree.Shorts {
		b = binary.AppendUvarint(b, uint64(st.Depth))
		b = binary.AppendUvarint(b, uint64(st.Deep))
	}
	switch st.Kind {
	case calltree.OneCall:
		b = binary.AppendUvarint(b, uint64(st.Token))
	case calltree.OneWait:
		b = binary.AppendUvarint(b, st.Ready)
		b = binary.AppendUvarint(b, st.Waker)
	default:
		b = binary.AppendUvarint(b, st.Calls)
		b = binary.AppendUvarint(b, st.Busy)
		if st.Kind == calltree.Waits {
			b = binary.AppendUvarint(b, st.Ready)
		}
	}
	return b
}

// parseStroke decodes what appendStroke has encoded, and returns its length.
func parseStroke(b []byte, st *calltree.Stroke, start uint64) (n int, err error) {
	if len(b) < 2 {
		return 0, errDamaged
	}
	head := b[0]
	*st = calltree.Stroke{Kind: calltree.StrokeKind(head & 3), High: b[1], Goroutine: st.Goroutine}
	several := st.Kind == calltree.Shorts || st.Kind == calltree.Waits
	n = 2
	if several {
		st.Low = st.High
	}
	if head&hasLow != 0 {
		if len(b) < 3 {
			return 0, errDamaged
		}
		st.Low = b[2]
		n = 3
	}
	ok := true
	next := func() uint64 {
		v, k := binary.Uvarint(b[n:])
		if k <= 0 {
			ok = false
			return 0
		}
		n += k
		return v
	}
	delta, k := binary.Varint(b[n:])
	if k <= 0 {
		return 0, errDamaged
	}
	n += k
	st.Start = start + uint64(delta)
	length := next()
	st.End = st.Start + length
	st.Site = uint32(next())
	if head&hasFlags != 0 {
		st.Flags = calltree.Flags(next())
	}
	if st.Kind <= calltree.Shorts {
		st.Depth, st.Deep = uint32(next()), uint32(next())
	}
	switch st.Kind {
	case calltree.OneCall:
		st.Token, st.Calls, st.Busy = uint32(next()), 1, length
	case calltree.OneWait:
		st.Ready, st.Waker, st.Calls = next(), next(), 1
		st.Busy = length - min(st.Ready, length)
	default:
		st.Calls, st.Busy = next(), next()
		if st.Kind == calltree.Waits {
			st.Ready = next()
		}
	}
	if !ok {
		return 0, errDamaged
	}
	return n, nil
}
