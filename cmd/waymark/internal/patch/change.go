//go:build linux && amd64

package patch

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// A change is a place in the process's code that is to have other bytes. It lies in one page.
type change struct {
	site     *Site // nil: a waymark has left it
	at       uint64
	original []byte // as the file has it
	to       []byte
}

// changesOf returns the changes that patch sites, or undo their patches.
func changesOf(sites []*Site, on bool) (list []change) {
	for _, s := range sites {
		for _, p := range s.places {
			c := change{s, p.at, p.original, p.original}
			if on {
				c.to = p.jump()
			}
			list = append(list, c)
		}
	}
	return list
}

// pages are pages of the process's code, by their addresses.
type pages map[uint64][]byte

const pageMask = image.PageSize - 1

func (ps pages) at(a uint64, n int) []byte { return ps[a&^pageMask][a&pageMask:][:n] }

// runs calls do with each run of pages that lie side by side: their addresses.
func (ps pages) runs(do func(list []uint64) error) error {
	list := slices.Sorted(maps.Keys(ps))
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n] == list[n-1]+image.PageSize {
			n++
		}
		if err := do(list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// pagesOf returns the pages of changes, without their content.
func pagesOf(list []change) pages {
	ps := make(pages)
	for _, c := range list {
		ps[c.at&^pageMask] = nil
	}
	return ps
}

// touch has the process have pages of its own where changes will be, so that it need not make them while it is stopped.
func (t *Target) touch(list []change) error {
	own := make(map[uint64]bool)
	for _, c := range list {
		if own[c.at&^pageMask] {
			continue
		}
		own[c.at&^pageMask] = true
		b, err := t.process.Bytes(c.at, 1)
		if err == nil {
			err = t.process.Write(c.at, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// breakpoint is INT3, which tracers set over the first byte of an instruction.
const breakpoint = 0xCC

// jump is the first byte of a patch.
const jump = 0xE9

// leads returns where a jump at an address leads.
func leads(at uint64, b []byte) uint64 {
	return at + displace.Jump + uint64(int64(int32(binary.LittleEndian.Uint32(b[1:]))))
}

// look returns the pages of changes as they are to be. The process is stopped. Where there is a jump to trampolines it is a
// waymark's own. others are changes in whose place another program has its bytes: they are left, but for what stands
// behind a breakpoint.
func (t *Target) look(list []change, trampolines image.Range) (now pages, others []change, err error) {
	now = pagesOf(list)
	err = now.runs(func(run []uint64) error {
		b, err := t.process.Bytes(run[0], len(run)*image.PageSize)
		for i, page := range run {
			now[page] = b[i*image.PageSize:][:image.PageSize]
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range list {
		b := now.at(c.at, displace.Jump)
		ours := trampolines.Contains(leads(c.at, b))
		switch {
		case bytes.Equal(b, c.original), b[0] == jump && ours:
			copy(b, c.to)
		case b[0] == breakpoint && (ours || bytes.Equal(b[1:], c.original[1:])):
			copy(b[1:], c.to[1:])
			fallthrough
		default:
			others = append(others, c)
		}
	}
	return now, others, nil
}

// put writes pages to the process.
func (t *Target) put(ps pages) error {
	return ps.runs(func(run []uint64) error {
		var b []byte
		for _, page := range run {
			b = append(b, ps[page]...)
		}
		return t.process.Write(run[0], b)
	})
}
