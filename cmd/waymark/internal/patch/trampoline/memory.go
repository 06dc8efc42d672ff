package trampoline

import "github.com/waymark-go/waymark/internal/wire/format"

// The memory that a patched process and its tracer share, in bytes from its beginning: a head, a cell for each
// of the scheduler's Ps, goroutines that no cell has, two counters for each site, one for each site and P, and chunks
// of events, as an arena of package format has them.
const (
	MostPs    = 1024
	MostSites = 1 << 16

	Cells     = 4096
	CellSize  = 1 << cellShift
	absent    = Cells + MostPs*CellSize
	Drops     = absent + absentees*8
	Counts    = Drops + MostSites*dropSize
	CountPs   = 128 // Ps that have counters of their own
	CountSize = 1 << countShift
	Chunks    = (Counts + CountPs*CountSize + format.ChunkSize - 1) &^ (format.ChunkSize - 1)

	absentees  = 1024 // goroutines, by the lowest bits of their ids, whose ids no cell has
	dropSize   = 16   // events that were dropped of a site: beginnings, ends
	cellShift  = 14
	countShift = 19 // 8 bytes for each site
)

// A cell, in bytes from its beginning. The P has it alone but for Tail and the slots behind it.
const (
	Cursor    = 0  // where the next event goes; 0: there is no chunk
	limit     = 8  // the last place where an event and a switch fit
	goroutine = 16 // of the latest event
	head      = 24 // chunks taken
	sequence  = 32 // of the chunk
	Lost      = 40 // events since the last chunk
	Chunk     = 48 // the chunk's address
	Tail      = 64 // chunks given
	slots     = 4096
	Slots     = 1024 // addresses of chunks to take, in a ring
)

// Heads, in bytes from the beginning of the memory.
const (
	HeadMagic  = 0
	HeadTracer = 8  // process id of who patches
	HeadStart  = 16 // when that process began, as the kernel tells it
	HeadCode   = 24 // address of the trampolines
	HeadUsed   = 32 // how many bytes of them there are
	HeadNoP    = 40 // events of threads that had no P
	headEnd    = 48 // address behind the cells of all Ps that have had a chunk
)

// Magic is what the head begins with.
const Magic = 0x6863746170_6d77 // "wmpatch"

// Slot returns where the n-th chunk that a P is given stands in its cell.
func Slot(n uint64) int { return slots + int(n%Slots)*8 }

// Drop returns where the counters of a site are.
func Drop(site uint32) int { return Drops + int(site)*dropSize }
