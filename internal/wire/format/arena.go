package format

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Layout of the arena, in bytes.
const (
	ChunkSize     = 64 << 10
	ChunkHeader   = 64
	RecordSize    = 16
	OriginsOffset = 128 // in the control chunk
)

// States of a chunk.
const (
	ChunkFree    = 0
	ChunkActive  = 1
	ChunkFull    = 2
	ChunkTypes   = 3
	ChunkJournal = 4
)

// HeldValues is a flag of a chunk: it has held values, which may look like records.
const HeldValues = 1

const arenaMagic = "wmarena\n"

// Offsets in the control chunk.
const (
	arenaVersion   = 8
	arenaChunkSize = 12
	arenaPID       = 16
	arenaPart      = 20
	arenaNonce     = 24
	arenaClock     = 40
	arenaMono      = 48
	arenaOrigins   = 56
	arenaTypes     = 60
	arenaBefore    = 64
	arenaStopped   = 72
	arenaJournal   = 76
)

// A Control is the arena's control chunk.
type Control struct {
	PID   int
	Part  int // of the trace file that it belongs to, see PutPart
	Nonce [16]byte
	Pair  ClockPair // the latest; UnixNano is 0

	// Before is a clock: chunks that were filled until then have been overwritten,
	// and no others. 0: none has been.
	Before uint64

	Stopped uint32 // see PutStopped
	Journal int    // number of the journal's chunk, 0 if there is none; not to be trusted
}

// PutControl writes the fixed part of the control chunk to b. The program's
// hooks keep the rest up to date.
func PutControl(b []byte, c Control) {
	copy(b, arenaMagic)
	binary.LittleEndian.PutUint32(b[arenaVersion:], Version)
	binary.LittleEndian.PutUint32(b[arenaChunkSize:], ChunkSize)
	binary.LittleEndian.PutUint32(b[arenaPID:], uint32(c.PID))
	PutPart(b, c.Part)
	copy(b[arenaNonce:], c.Nonce[:])
}

// PutPart notes in the control chunk b which part of a rotated recording events go to.
func PutPart(b []byte, part int) {
	binary.LittleEndian.PutUint32(b[arenaPart:], uint32(part))
}

// PutStopped notes in the control chunk b that recording has ended before the program, and why.
// flags are those of the trailer that the file should have.
func PutStopped(b []byte, flags uint32) {
	binary.LittleEndian.PutUint32(b[arenaStopped:], flags)
}

// IsArena reports whether a file that begins with b is an arena, of whatever version, or could be
// one. An arena is all zeros if its process was killed before the control chunk was written.
func IsArena(b []byte) bool {
	return len(b) >= len(arenaMagic) && string(b[:len(arenaMagic)]) == arenaMagic || len(b) > 0 && string(b) == string(make([]byte, len(b)))
}

// ParseControl reads a control chunk.
func ParseControl(b []byte) (Control, error) {
	var c Control
	if len(b) < OriginsOffset || string(b[:len(arenaMagic)]) != arenaMagic {
		return c, fmt.Errorf("not a waymark arena: %w", ErrDamaged)
	}
	if err := checkVersion(int(binary.LittleEndian.Uint32(b[arenaVersion:])), ErrDamaged); err != nil {
		return c, err
	}
	if n := binary.LittleEndian.Uint32(b[arenaChunkSize:]); n != ChunkSize {
		return c, fmt.Errorf("arena with chunks of %d bytes, not %d: %w", n, ChunkSize, ErrDamaged)
	}
	c.PID = int(binary.LittleEndian.Uint32(b[arenaPID:]))
	c.Part = int(binary.LittleEndian.Uint32(b[arenaPart:]))
	copy(c.Nonce[:], b[arenaNonce:])
	c.Pair.Clock = binary.LittleEndian.Uint64(b[arenaClock:])
	c.Pair.MonoNano = int64(binary.LittleEndian.Uint64(b[arenaMono:]))
	c.Before = binary.LittleEndian.Uint64(b[arenaBefore:])
	c.Stopped = binary.LittleEndian.Uint32(b[arenaStopped:]) & (Full | Failed | Disk)
	c.Journal = int(binary.LittleEndian.Uint32(b[arenaJournal:]))
	return c, nil
}

// OriginsSize returns how many bytes of a control chunk the origins take.
func OriginsSize(b []byte) int { return int(binary.LittleEndian.Uint32(b[arenaOrigins:])) }

// PutOrigin adds an origin of a program counter to a control chunk, whose id is the number of those before and 1. It
// reports whether there was room.
func PutOrigin(b []byte, pc uint64, o Origin) bool {
	used := OriginsSize(b)
	e := binary.LittleEndian.AppendUint64(nil, pc)
	e = binary.LittleEndian.AppendUint32(e, uint32(o.Line))
	e = binary.LittleEndian.AppendUint16(e, uint16(len(o.Func)))
	e = binary.LittleEndian.AppendUint16(e, uint16(len(o.File)))
	e = append(append(e, o.Func...), o.File...)
	e = append(e, make([]byte, -len(e)&7)...)
	if OriginsOffset+used+len(e) > len(b) || len(o.Func)|len(o.File) > math.MaxUint16 {
		return false
	}
	copy(b[OriginsOffset+used:], e)
	binary.LittleEndian.PutUint32(b[arenaOrigins:], uint32(used+len(e)))
	return true
}

// ControlOrigins returns the origins in a control chunk. from is where to begin, in bytes, 0 for
// the first. next is where to go on once there are more. id is the number of origins before from.
// What is damaged ends the list.
func ControlOrigins(b []byte, from int, id uint32) (origins []Origin, next int) {
	if len(b) < OriginsOffset {
		return nil, from
	}
	used := int(binary.LittleEndian.Uint32(b[arenaOrigins:]))
	table := b[OriginsOffset:]
	if used < 0 || used > len(table) {
		used = len(table)
	}
	for from+16 <= used {
		e := table[from:used]
		line := binary.LittleEndian.Uint32(e[8:])
		nfunc, nfile := int(binary.LittleEndian.Uint16(e[12:])), int(binary.LittleEndian.Uint16(e[14:]))
		size := (16 + nfunc + nfile + 7) &^ 7
		if size > len(e) {
			break
		}
		id++
		origins = append(origins, Origin{
			ID: id, Line: int(line),
			Func: string(e[16 : 16+nfunc]), File: string(e[16+nfunc : 16+nfunc+nfile]),
		})
		from += size
	}
	return origins, from
}

// FirstTypes returns the number of the first chunk that describes types, 0 if there is none yet.
// NextTypes returns that of the one that follows the given one. Both count from the beginning of
// the arena, and are not to be trusted.
func FirstTypes(control []byte) int {
	if len(control) < OriginsOffset {
		return 0
	}
	return int(binary.LittleEndian.Uint32(control[arenaTypes:]))
}

func NextTypes(chunk Chunk) int { return int(uint32(chunk.Goroutine)) }

// LinkTypes makes chunk number next of an arena the one that follows chunk number last in describing types, or with 0 the
// first one. It says what it describes in the form of a Types block, from ChunkHeader on; its End and its state are set.
func LinkTypes(arena []byte, last, next int) {
	if last == 0 {
		binary.LittleEndian.PutUint32(arena[arenaTypes:], uint32(next))
		return
	}
	binary.LittleEndian.PutUint64(arena[last*ChunkSize+24:], uint64(next))
}

// ChunkOfTypes returns the descriptions in a chunk, in the form of a Types block, from the given
// offset on. The first are at ChunkHeader. next is where to go on once there are more.
func ChunkOfTypes(chunk []byte, from int) (types []byte, next int) {
	h := ParseChunk(chunk)
	end := int(h.End)
	if h.State != ChunkTypes || end < from || end > len(chunk) {
		return nil, from
	}
	return chunk[from:end], end
}

// A Chunk is a chunk's header.
type Chunk struct {
	State     uint32
	Stream    uint32
	Seq       uint64
	Clock     uint64 // when it was handed out
	Goroutine uint64 // that ran then; ChunkTypes: number of the next chunk of types
	End       uint32 // ChunkFull, ChunkTypes, ChunkJournal: bytes in use, with the header
	Lost      uint64 // events dropped on the stream before the chunk
	Filled    uint64 // ChunkFull: clock when it was; 0 if unknown
}

// ParseChunk reads the header of a chunk of the arena.
func ParseChunk(b []byte) Chunk {
	return Chunk{
		State:     binary.LittleEndian.Uint32(b),
		Stream:    binary.LittleEndian.Uint32(b[4:]),
		Seq:       binary.LittleEndian.Uint64(b[8:]),
		Clock:     binary.LittleEndian.Uint64(b[16:]),
		Goroutine: binary.LittleEndian.Uint64(b[24:]),
		End:       binary.LittleEndian.Uint32(b[32:]),
		Lost:      binary.LittleEndian.Uint64(b[40:]),
		Filled:    binary.LittleEndian.Uint64(b[48:]),
	}
}

// A Record is what the hot path writes for an event.
type Record struct {
	Clock uint64
	Word  uint64
}

// Fields of Record.Word.
const (
	ExitShift = 63
	ExitBit   = 1 << ExitShift
	SiteShift = 32
	SiteMask  = 1<<31 - 1

	// FirstCode is the first site field that isn't a site's id but 0x7F, a code
	// and the upper 16 bits of the 48-bit value.
	FirstCode = 0x7F << 24

	// SampleShift is where in a site's id the group is of a call that is a sample, see package format.
	SampleShift  = 19
	SampleGroups = 7 // groups count from 1

	CodeShift = 48
	ValueMask = 1<<48 - 1
)

// Codes of records and of the file's tag 3.
const (
	CodeGo      = 1
	CodeStart   = 2
	CodeEnd     = 3
	CodeExit    = 4
	CodePanic   = 5
	CodeRecover = 6
	CodeGoexit  = 7
	CodeValues  = 8
	CodeSkew    = 9
	CodeOrigin  = 10
	CodeInts    = 11
	CodeVoid    = 12
	CodeLate    = 13 // in the file it is a Waited

	// CodeSkip is the first of the codes that carry their length, so that
	// readers that don't know them can go on.
	CodeSkip  = 64
	CodeInfo  = 64
	CodeError = 65
	CodeLong  = 66

	CodeParked = 67
	CodeWaited = 68
	CodeMade   = 69
	CodeSpawn  = 70
)

// WakerShift is where the waker's id is in the value of a record of code Waited; the reason is below it.
const WakerShift = 4

// Records decodes the records of a chunk of the arena, of size ChunkSize. They are those before End
// if it is full, else those that were completely written.
func Records(chunk []byte) (Chunk, []Record) {
	h := ParseChunk(chunk)
	end := len(chunk)
	full := h.State == ChunkFull && uint64(h.End) <= uint64(end)
	if full {
		end = int(h.End)
	}
	recs := make([]Record, 0, max(end-ChunkHeader, 0)/RecordSize)
	values := 0 // records of values that follow
	for at := ChunkHeader; at+RecordSize <= end; at += RecordSize {
		r := Record{binary.LittleEndian.Uint64(chunk[at:]), binary.LittleEndian.Uint64(chunk[at+8:])}
		if values > 0 {
			values--
		} else if !full && (r.Clock < h.Clock || r.Clock == 0 || r.Word == 0) {
			break
		} else if r.takesOthers() {
			values = r.valueRecords()
		}
		recs = append(recs, r)
	}
	return h, recs
}
