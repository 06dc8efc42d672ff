//go:build linux && amd64

package patch

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// Counted returns the calls of each site that were counted where they began, since the target was opened.
func (t *Target) Counted() (counts map[*Site]uint64, err error) {
	counts = make(map[*Site]uint64)
	if t.shared == nil {
		return counts, nil
	}
	row := make([]byte, 8*len(t.sites))
	for p := int64(0); p < trampoline.CountPs; p++ {
		// Most Ps have none: reading these through the mapping would give them memory.
		at, err := unix.Seek(int(t.shared.Fd()), trampoline.Counts+p*trampoline.CountSize, unix.SEEK_DATA)
		if err != nil {
			return nil, err
		}
		if p = (at - trampoline.Counts) / trampoline.CountSize; p >= trampoline.CountPs {
			break
		}
		if _, err := t.shared.ReadAt(row, trampoline.Counts+p*trampoline.CountSize); err != nil {
			return nil, err
		}
		for _, s := range t.sites[1:] {
			if n := binary.LittleEndian.Uint64(row[8*s.Number:]); n > 0 {
				counts[s] += n
			}
		}
	}
	return counts, nil
}
