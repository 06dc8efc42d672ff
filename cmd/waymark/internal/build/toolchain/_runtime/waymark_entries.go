// Package runtime, as waymark adds to it: descriptions of types, as entries in chunks of the arena.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A wmEntry is a description that is being written. Its first two bytes are its size.
type wmEntry struct {
	wmCursor
	start uintptr
	id    uint32
}

func (w *wmEntry) name(n wmName) {
	w.uvarint(uint64(n.len))
	w.bytes(n.p, n.len)
}

// What a type with those that it holds by value usually takes, and a field, bytes.
const (
	wmFewTypes   = 4 << 10
	wmFieldBytes = 40
)

// wmTypesFit makes sure that the current chunk of descriptions has so many bytes left.
// It takes another chunk if need be, and reports whether there was one.
func wmTypesFit(size uintptr) bool {
	if c := wmTypes.chunk; c != 0 && uintptr((*wmChunkHead)(unsafe.Pointer(c)).end)+size <= wmChunkSize {
		return true
	}
	return size <= wmChunkSize-wmChunkHeader && wmNewTypeChunk()
}

// wmOpenEntry begins a description.
func wmOpenEntry() (w wmEntry) {
	c := wmTypes.chunk
	w.start = c + uintptr((*wmChunkHead)(unsafe.Pointer(c)).end)
	w.at, w.end = w.start+2, c+wmChunkSize
	w.id = wmFirstType + wmTypes.id
	return w
}

// close makes the description part of the chunk. One that did not fit is dropped.
func (w *wmEntry) close() bool {
	if w.at >= w.end {
		return false
	}
	size := w.at - w.start - 2
	*(*byte)(unsafe.Pointer(w.start)) = byte(size)
	*(*byte)(unsafe.Pointer(w.start + 1)) = byte(size >> 8)
	h := (*wmChunkHead)(unsafe.Pointer(wmTypes.chunk))
	atomic.Store(&h.end, uint32(w.at-wmTypes.chunk))
	wmTypes.id++
	return true
}

// wmOwnTypeChunk is wmNewTypeChunk while nothing is recorded.
func wmOwnTypeChunk() bool {
	t := &wmTypes
	if t.locked || t.nchunks == wmMostTypeChunks {
		t.short = true
		return false
	}
	own := &t.own[t.nchunks]
	if *own == 0 {
		*own = uintptr(persistentalloc(wmChunkSize, 8, &memstats.other_sys))
	}
	(*wmChunkHead)(unsafe.Pointer(*own)).end = wmChunkHeader
	t.use(*own)
	return true
}

// use has the next descriptions written to a chunk.
func (t *wmTypesFound) use(chunk uintptr) {
	if t.nchunks < wmMostTypeChunks {
		t.chunks[t.nchunks] = chunk
	}
	t.nchunks++
	t.chunk = chunk
}

// WMTypesOf returns the descriptions of types of an era, which package format can read, nil if they have so many bytes
// as the caller knows. It reports false if they have been forgotten, or are too many.
func WMTypesOf(era uint32, known int) (list []byte, ok bool) {
	for {
		n, ok := wmCopyTypes(era, list)
		switch {
		case !ok || n == known:
			return nil, ok
		case n <= len(list):
			return list[:n], true
		}
		list = make([]byte, n)
	}
}

// wmCopyTypes copies the descriptions to list if they fit, and returns how many bytes they are. The arena may have been
// overwritten: what its chunks say is not to be trusted.
func wmCopyTypes(era uint32, list []byte) (n int, ok bool) {
	t := &wmTypes
	lock(&t.lock)
	if ok = t.era == era && t.nchunks <= wmMostTypeChunks; ok {
		for _, chunk := range t.chunks[:t.nchunks] {
			end := min(max(uintptr((*wmChunkHead)(unsafe.Pointer(chunk)).end), wmChunkHeader), wmChunkSize)
			size := int(end - wmChunkHeader)
			if n+size <= len(list) {
				memmove(add(unsafe.Pointer(unsafe.SliceData(list)), uintptr(n)), unsafe.Pointer(chunk+wmChunkHeader), uintptr(size))
			}
			n += size
		}
	}
	unlock(&t.lock)
	return n, ok
}

// wmNewTypeChunk takes a chunk for descriptions and links it to the last one, the
// first to the control chunk. It tells whether one was free.
func wmNewTypeChunk() bool {
	lock(&wm.lock)
	arena := wm.base != 0
	i, ok := uint32(0), false
	if arena {
		i, ok = wmTakeChunk()
	}
	unlock(&wm.lock)
	if !arena {
		return wmOwnTypeChunk()
	}
	if !ok {
		wmTypes.short = true
		return false
	}
	c := wm.base + uintptr(i)*wmChunkSize
	h := (*wmChunkHead)(unsafe.Pointer(c))
	h.end, h.goroutine, h.seq = wmChunkHeader, 0, 0
	atomic.Store(&h.state, wmChunkTypes)
	if wmTypes.chunk == 0 {
		atomic.Store((*uint32)(unsafe.Pointer(wm.base+wmArenaTypes)), i)
	} else {
		atomic.Store64(&(*wmChunkHead)(unsafe.Pointer(wmTypes.chunk)).goroutine, uint64(i))
	}
	wmTypes.use(c)
	return true
}
