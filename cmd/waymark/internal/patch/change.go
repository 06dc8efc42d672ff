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
	var jumps []byte // one after the other
	for _, s := range sites {
		for _, p := range s.places {
			c := change{s, p.at, p.original, p.original}
			if on && !p.idle() {
				n := len(jumps)
				jumps = p.appendJump(jumps)
				c.to = jumps[n:]
			}
			list = append(list, c)
		}
	}
	return list
}

// pages are pages of the process's code.
type pages struct {
	runs []run
	page map[uint64][]byte // by address

	latest uint64 // the page that was asked for
	bytes  []byte // of it
}

// A run is pages that lie side by side.
type run struct {
	at uint64
	b  []byte
}

const pageMask = image.PageSize - 1

// pagesOf returns the pages of changes, without their content.
func pagesOf(list []change) *pages {
	ps := &pages{page: make(map[uint64][]byte)}
	for _, c := range list {
		ps.page[c.at&^pageMask] = nil
	}
	all := slices.Sorted(maps.Keys(ps.page))
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n] == all[n-1]+image.PageSize {
			n++
		}
		r := run{all[0], make([]byte, n*image.PageSize)}
		for i, at := range all[:n] {
			ps.page[at] = r.b[i*image.PageSize:][:image.PageSize]
		}
		ps.runs, all = append(ps.runs, r), all[n:]
	}
	return ps
}

func (ps *pages) at(a uint64, n int) []byte {
	if page := a &^ pageMask; page != ps.latest {
		ps.latest, ps.bytes = page, ps.page[page]
	}
	return ps.bytes[a&pageMask:][:n]
}

// touch has the process have pages of its own where changes will be, and reads them: what is done for the first time takes
// ten times as long, and is done before the process is stopped.
func (t *Target) touch(ps *pages) error {
	for _, r := range ps.runs {
		for at := 0; at < len(r.b); at += image.PageSize {
			if err := t.process.Read(r.at+uint64(at), r.b[at:at+1]); err != nil {
				return err
			}
			if err := t.process.Write(r.at+uint64(at), r.b[at:at+1]); err != nil {
				return err
			}
		}
	}
	return t.read(ps)
}

// read reads pages.
func (t *Target) read(ps *pages) error {
	for _, r := range ps.runs {
		if err := t.process.Read(r.at, r.b); err != nil {
			return err
		}
	}
	return nil
}

// breakpoint is INT3, which tracers set over the first byte of an instruction.
const breakpoint = 0xCC

// What patches begin with.
const (
	jump = 0xE9
	call = 0xE8
)

func patched(b []byte) bool { return b[0] == jump || b[0] == call }

// leads returns where a jump at an address leads.
func leads(at uint64, b []byte) uint64 {
	return at + displace.Jump + uint64(int64(int32(binary.LittleEndian.Uint32(b[1:]))))
}

// look reads pages, and makes them what they are to be, but for changes of sites that are left out. The process is stopped.
// Where there is a jump to trampolines it is a waymark's own. others are changes in whose place another program has its
// bytes: they are left, but for what stands behind a breakpoint.
func (t *Target) look(ps *pages, list []change, trampolines image.Range) (others []change, err error) {
	if err := t.read(ps); err != nil {
		return nil, err
	}
	for i := range list {
		c := &list[i]
		if c.site != nil && c.site.left {
			continue
		}
		b := ps.at(c.at, displace.Jump)
		ours := trampolines.Contains(leads(c.at, b))
		switch {
		case bytes.Equal(b, c.original), patched(b) && ours:
			copy(b, c.to)
		case b[0] == breakpoint && (ours || bytes.Equal(b[1:], c.original[1:])):
			copy(b[1:], c.to[1:])
			fallthrough
		default:
			others = append(others, *c)
		}
	}
	return others, nil
}

// put writes pages to the process.
func (t *Target) put(ps *pages) error {
	for _, r := range ps.runs {
		if err := t.process.Write(r.at, r.b); err != nil {
			return err
		}
	}
	return nil
}
