package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Version of the trace file and of the arena.
const Version = 2

// Sizes, in bytes.
const (
	HeaderSize  = 16
	BlockHeader = 16
	MaxPayload  = 16 << 20
	MaxEvents   = 4 * ChunkSize // payload of an Events block: no chunk takes more
)

// MaxStreams bounds the number of streams: a reader keeps some KB for each.
const MaxStreams = 8192

const (
	fileMagic  = "waymark\n"
	blockMagic = "wmBK"
)

// A BlockKind says what a block holds.
type BlockKind uint8

const (
	BlockMeta BlockKind = 1 + iota
	BlockClock
	BlockSites
	BlockEvents
	BlockOrigins
	BlockEnd
	BlockTypes
	BlockTests
	BlockGroups
	BlockCounts
	BlockGap
	BlockStarts
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Errors that readers tell apart with errors.Is.
var (
	ErrNotTrace = errors.New("not a waymark trace file")
	ErrVersion  = errors.New("written by a newer waymark")
	ErrDamaged  = errors.New("damaged")
)

// AppendHeader appends the file header.
func AppendHeader(dst []byte) []byte {
	dst = append(dst, fileMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, Version)
	return append(dst, make([]byte, HeaderSize-len(fileMagic)-2)...)
}

// CheckHeader reports whether b begins with the header of a file that this version reads.
func CheckHeader(b []byte) error {
	if len(b) < HeaderSize || string(b[:len(fileMagic)]) != fileMagic {
		return ErrNotTrace
	}
	return checkVersion(VersionOf(b), ErrNotTrace)
}

// VersionOf returns the version of a file that begins with b, which CheckHeader has taken.
func VersionOf(b []byte) int { return int(binary.LittleEndian.Uint16(b[len(fileMagic):])) }

// checkVersion takes the version of a file or an arena, and the error for one that never was.
func checkVersion(v int, never error) error {
	if v < 1 {
		return fmt.Errorf("version %d: %w", v, never)
	}
	if v > Version {
		return fmt.Errorf("%w (version %d, this one reads %d)", ErrVersion, v, Version)
	}
	return nil
}

// BeginBlock appends a block header to be completed by EndBlock, which takes the
// length of dst before this call. What is appended in between is the payload.
func BeginBlock(dst []byte, kind BlockKind) []byte {
	dst = append(dst, blockMagic...)
	return append(dst, byte(kind), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

// EndBlock fills in the length and the checksum of the block that begins at start.
func EndBlock(dst []byte, start int) []byte {
	h := dst[start : start+BlockHeader]
	payload := dst[start+BlockHeader:]
	binary.LittleEndian.PutUint32(h[8:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(h[12:], checksum(h, payload))
	return dst
}

// AppendBlock appends a whole block.
func AppendBlock(dst []byte, kind BlockKind, payload []byte) []byte {
	start := len(dst)
	return EndBlock(append(BeginBlock(dst, kind), payload...), start)
}

func checksum(header, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[4:12], castagnoli), castagnoli, payload)
}

// A Block is the header of a block in a file.
type Block struct {
	Kind   BlockKind
	Length int // of the payload, bytes
	crc    uint32
	head   [BlockHeader]byte
}

// ParseBlock reads a block's header from the first BlockHeader bytes of b.
func ParseBlock(b []byte) (Block, error) {
	var blk Block
	if len(b) < BlockHeader || string(b[:4]) != blockMagic {
		return blk, fmt.Errorf("no block header: %w", ErrDamaged)
	}
	copy(blk.head[:], b)
	blk.Kind = BlockKind(b[4])
	n, max := binary.LittleEndian.Uint32(b[8:]), uint32(MaxPayload)
	if blk.Kind == BlockEvents {
		max = MaxEvents
	}
	if n > max {
		return blk, fmt.Errorf("block of %d bytes, more than %d: %w", n, max, ErrDamaged)
	}
	blk.Length = int(n)
	blk.crc = binary.LittleEndian.Uint32(b[12:])
	return blk, nil
}

// Check reports whether payload is what was written.
func (b *Block) Check(payload []byte) error {
	if len(payload) != b.Length || checksum(b.head[:], payload) != b.crc {
		return fmt.Errorf("checksum differs: %w", ErrDamaged)
	}
	return nil
}

// BlockMagic returns the bytes that every block begins with, for finding the next block after
// damage.
func BlockMagic() []byte { return []byte(blockMagic) }
