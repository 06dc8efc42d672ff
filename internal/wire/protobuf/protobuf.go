// Package protobuf appends fields of protocol buffers' messages, by their numbers, and reads them.
// Fields that have their default value are left out where the format allows that.
//
// Programs that are traced write profiles with it, so it is made of the standard library.
package protobuf

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// A Number is that of a field.
type Number uint32

// Types of fields, in the three low bits of their tags.
const (
	typeVarint  = 0
	typeFixed64 = 1
	typeBytes   = 2
	typeFixed32 = 5
)

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
	m.tag(field, typeVarint)
	*m = binary.AppendUvarint(*m, v)
}

// Fixed appends a number of 8 bytes, unless it is 0.
func (m *Message) Fixed(field Number, v uint64) {
	if v != 0 {
		m.tag(field, typeFixed64)
		*m = binary.LittleEndian.AppendUint64(*m, v)
	}
}

// String appends a string, as UTF-8 must be, unless it is empty.
func (m *Message) String(field Number, s string) {
	if s != "" {
		m.Text(field, s)
	}
}

// Text appends a string of a oneof, or an element of a list: the empty one too.
func (m *Message) Text(field Number, s string) {
	s = valid(s)
	m.Head(field, len(s))
	*m = append(*m, s...)
}

// Bytes appends bytes.
func (m *Message) Bytes(field Number, b []byte) {
	m.Head(field, len(b))
	*m = append(*m, b...)
}

// Head appends what is before the n bytes of a message.
func (m *Message) Head(field Number, n int) {
	m.tag(field, typeBytes)
	*m = binary.AppendUvarint(*m, uint64(n))
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
		size += (bits.Len64(v|1) + 6) / 7
	}
	m.Head(field, size)
	for _, v := range list {
		*m = binary.AppendUvarint(*m, v)
	}
}

func (m *Message) tag(field Number, kind uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|kind)
}

// valid returns s with U+FFFD for what is no UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
