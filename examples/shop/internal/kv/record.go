package kv

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// A record on disk is a header, the key and the value. The header holds a
// CRC-32C of all that follows it (4 bytes), the kind (1), the key's length
// (4) and the value's (4), little-endian.
const headerSize = 4 + 1 + 4 + 4

// maxLen bounds keys and values, so that a damaged length is noticed before
// memory is allocated for it.
const maxLen = 16 << 20

type kind byte

const (
	kindPut kind = iota + 1
	kindDelete
)

type record struct {
	kind  kind
	key   string
	value []byte
}

func (r record) size() int64 { return headerSize + int64(len(r.key)+len(r.value)) }

var (
	errChecksum = errors.New("checksum mismatch")
	errLength   = errors.New("implausible length")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord appends the encoding of r to dst.
func appendRecord(dst []byte, r record) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, byte(r.kind))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(r.key)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(r.value)))
	dst = append(dst, r.key...)
	dst = append(dst, r.value...)
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+4:], castagnoli))
	return dst
}

// readRecord reads the next record. The error is io.EOF if there is none and
// io.ErrUnexpectedEOF if the input ends within it. With errChecksum the
// record is returned too.
func readRecord(r *bufio.Reader) (record, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return record{}, err
	}
	keyLen := binary.LittleEndian.Uint32(header[5:])
	valueLen := binary.LittleEndian.Uint32(header[9:])
	if keyLen > maxLen || valueLen > maxLen {
		return record{}, errLength
	}
	body := make([]byte, keyLen+valueLen)
	if _, err := io.ReadFull(r, body); err != nil {
		return record{}, io.ErrUnexpectedEOF
	}
	rec := record{kind: kind(header[4]), key: string(body[:keyLen]), value: body[keyLen:]}
	sum := crc32.Update(crc32.Checksum(header[4:], castagnoli), castagnoli, body)
	if sum != binary.LittleEndian.Uint32(header[:]) {
		return rec, errChecksum
	}
	return rec, nil
}
