// Package edit applies text edits at byte offsets of a source file.
//
// A rewriter that prints a changed syntax tree moves comments and lines about.
// One that edits the text where the tree says leaves all other bytes as they
// were. So everything that the user wrote stays on its line. Edits are queued
// in any order, each with offsets into the original text, and applied at once:
//
//	b := edit.NewBuffer(src)
//	b.Insert(7, "x")
//	b.Replace(9, 12, "yes")
//	out, err := b.Bytes()
//
// The manner is that of cmd/internal/edit in the Go tree. It differs in that
// bad offsets and overlapping edits are errors. Offsets come from positions in
// files that others wrote, and no such file may stop the program.
package edit

import (
	"fmt"
	"slices"
)

// A Buffer is a text and the edits queued for it.
type Buffer struct {
	text  []byte
	edits []edit
}

// An edit replaces text[start:end] by new; an insertion has start == end.
type edit struct {
	start, end int
	new        string
}

// NewBuffer returns a Buffer for text, which must not change until the last
// call of Bytes.
func NewBuffer(text []byte) *Buffer {
	return &Buffer{text: text}
}

// Insert queues new to be inserted before the byte at offset, or at the end
// if offset is the length of the text. Texts inserted at the same offset
// appear in the order of the calls, and before whatever replaces the bytes
// from that offset on.
func (b *Buffer) Insert(offset int, new string) {
	b.edits = append(b.edits, edit{offset, offset, new})
}

// Replace queues new to take the place of the bytes in [start, end).
func (b *Buffer) Replace(start, end int, new string) {
	b.edits = append(b.edits, edit{start, end, new})
}

// Delete queues the removal of the bytes in [start, end).
func (b *Buffer) Delete(start, end int) {
	b.Replace(start, end, "")
}

// Changed reports whether an edit is queued.
func (b *Buffer) Changed() bool {
	return len(b.edits) > 0
}

// sorted returns the edits in the order of the text. The order of the ends decides
// between edits that start together, so that insertions go before the replacement of
// what follows them. The sort is stable, so that insertions keep the order of the calls.
func (b *Buffer) sorted() []edit {
	edits := slices.Clone(b.edits)
	slices.SortStableFunc(edits, func(x, y edit) int {
		if x.start != y.start {
			return x.start - y.start
		}
		return x.end - y.end
	})
	return edits
}

// Bytes returns a new slice with the edits applied. It fails if an edit lies
// outside the text or if two edits overlap; the edits stay queued.
func (b *Buffer) Bytes() ([]byte, error) {
	edits := b.sorted()
	size := len(b.text)
	for i, e := range edits {
		if e.start < 0 || e.end < e.start || e.end > len(b.text) {
			return nil, fmt.Errorf("edit %v is outside the text of %d bytes", e, len(b.text))
		}
		if i > 0 && e.start < edits[i-1].end {
			return nil, fmt.Errorf("edit %v overlaps edit %v", e, edits[i-1])
		}
		size += len(e.new) - (e.end - e.start)
	}

	out := make([]byte, 0, size)
	done := 0
	for _, e := range edits {
		out = append(out, b.text[done:e.start]...)
		out = append(out, e.new...)
		done = e.end
	}
	return append(out, b.text[done:]...), nil
}

func (e edit) String() string {
	return fmt.Sprintf("[%d,%d)->%q", e.start, e.end, e.new)
}
