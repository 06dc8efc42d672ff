package protobuf

import "encoding/binary"

// Each calls f with each value of a field in a message: its number, or its bytes. It ends where the
// message is damaged.
func Each(message []byte, field Number, f func(n uint64, b []byte)) {
	for len(message) > 0 {
		tag, size := binary.Uvarint(message)
		if size <= 0 {
			return
		}
		message = message[size:]
		var n uint64
		var b []byte
		switch tag & 7 {
		case typeVarint:
			n, size = binary.Uvarint(message)
		case typeBytes:
			var length uint64
			if length, size = binary.Uvarint(message); size <= 0 || length > uint64(len(message)-size) {
				return
			}
			b = message[size : size+int(length)]
			size += int(length)
		case typeFixed64:
			size = 8
		case typeFixed32:
			size = 4
		default:
			return
		}
		if size <= 0 || size > len(message) {
			return
		}
		if message = message[size:]; tag>>3 == uint64(field) {
			f(n, b)
		}
	}
}
