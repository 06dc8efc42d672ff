// Package wire appends fields of protocol buffers' messages, by their numbers. Fields that have
// their default value are left out where the format allows that.
package wire

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Number is that of a field.
type Number = protowire.Number

// A Message is an encoded message. Its methods append a field.
type Message []byte

// Uint appends a number, unless it is 0.
func (m *Message) Uint(field Number, v uint64) {
	if v != 0 {
		m.Member(field, v)
	}
}

// Member appends a number of a oneof, 0 too.
func (m *Message) Member(field Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

// Fixed appends a number of 8 bytes, unless it is 0.
func (m *Message) Fixed(field Number, v uint64) {
	if v != 0 {
		*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), v)
	}
}

// Double appends a number.
func (m *Message) Double(field Number, v float64) { m.Fixed(field, math.Float64bits(v)) }

// String appends a string, as UTF-8 must be, unless it is empty.
func (m *Message) String(field Number, s string) {
	if s != "" {
		m.Text(field, s)
	}
}

// Text appends a string of a oneof, or an element of a list: the empty one too.
func (m *Message) Text(field Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), valid(s))
}

// Bytes appends bytes.
func (m *Message) Bytes(field Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

// Head appends what is before the n bytes of a message.
func (m *Message) Head(field Number, n int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.BytesType), uint64(n))
}

// Message appends a message.
func (m *Message) Message(field Number, o Message) { m.Bytes(field, o) }

// Packed appends numbers, unless there are none.
func (m *Message) Packed(field Number, list []uint64) {
	if len(list) == 0 {
		return
	}
	size := 0
	for _, v := range list {
		size += protowire.SizeVarint(v)
	}
	m.Head(field, size)
	for _, v := range list {
		*m = protowire.AppendVarint(*m, v)
	}
}

// valid returns s with U+FFFD for what is no UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
