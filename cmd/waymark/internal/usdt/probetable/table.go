package probetable

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// Magic is how a table begins.
const Magic = "\xccwaymark table of probes"

// PoolMagic is how the pool of locations in package runtime begins, after PoolPad bytes.
const (
	PoolMagic = "\xccwaymark pool of probes."
	PoolPad   = 8
)

// Locations is how many locations the pool has.
const Locations = 16 << 10

// MaxArguments is how many arguments a probe can have.
const MaxArguments = 12

// Stride is how many words of a table a site has.
const Stride = 3

// A Table holds the probes of a unit.
type Table struct {
	Sites []Site
}

// A Site is a function, or a probe of a provider, with up to two probes.
type Site struct {
	Index         int    `json:"-"` // in the unit's table of sites
	Entry, Return *Probe `json:",omitempty"`
}

// A Probe is a tracepoint that tracers of the system know by its provider and its name.
type Probe struct {
	Provider string
	Name     string
	Module   string     `json:",omitempty"`
	Function string     `json:",omitempty"`
	Args     []Argument `json:",omitempty"`

	Attributes usdt.Attributes // of the provider
}

// An Argument is what a probe passes.
type Argument struct {
	Name string // as in the source; _ if it has none
	Type string // as in the source
	Size int    // bytes, negative of signed integers
}

// Words returns the table as the words of an array, and the index of the first site's words.
func Words(t *Table) (words []uint64, first int, err error) {
	text, err := json.Marshal(t.Sites)
	if err != nil {
		return nil, 0, err
	}
	head := []byte(Magic)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(t.Sites)))
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(text))
	head = append(head, text...)
	for len(head)%8 != 0 {
		head = append(head, 0)
	}
	for i := 0; i < len(head); i += 8 {
		words = append(words, binary.LittleEndian.Uint64(head[i:]))
	}
	first = len(words)
	for i := range t.Sites {
		words = append(words, 0, 0, uint64(t.Sites[i].Index))
	}
	return words, first, nil
}

// headSize is the size of what stands before a table's text.
const headSize = len(Magic) + 3*4

// A Found is a table in a linked program.
type Found struct {
	Table
	at int // of the first site's words
}

// Find finds the tables in data. What looks like a table and is damaged is an error.
func Find(data []byte) ([]*Found, error) {
	var list []*Found
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(Magic))
		if i < 0 {
			return list, nil
		}
		at += i
		if at%8 != 0 {
			at++
			continue
		}
		f, size, err := read(data[at:])
		if err != nil {
			return nil, fmt.Errorf("table of probes at %#x: %w", at, err)
		}
		f.at += at
		list = append(list, f)
		at += size
	}
}

// read reads the table that data begins with, and returns its size, too.
func read(data []byte) (*Found, int, error) {
	if len(data) < headSize {
		return nil, 0, fmt.Errorf("%d bytes, want %d at least", len(data), headSize)
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(data[len(Magic)+4*i:])) }
	length, sites := number(0), number(1)
	first := (headSize + length + 7) &^ 7
	size := first + sites*Stride*8
	if length < 0 || sites < 0 || length > len(data) || sites > len(data) || size > len(data) {
		return nil, 0, fmt.Errorf("a text of %d bytes and %d sites, want less than %d bytes", length, sites, len(data))
	}
	text := data[headSize : headSize+length]
	if got, want := crc32.ChecksumIEEE(text), uint32(number(2)); got != want {
		return nil, 0, fmt.Errorf("checksum %#x, want %#x", got, want)
	}
	f := &Found{at: first}
	if err := json.Unmarshal(text, &f.Sites); err != nil {
		return nil, 0, err
	}
	if len(f.Sites) != sites {
		return nil, 0, fmt.Errorf("%d sites, want %d", len(f.Sites), sites)
	}
	return f, size, nil
}

// Kinds of probes: an index of both semaphores and locations.
const (
	Entry  = 0
	Return = 1
)

// Semaphore returns the offset in the data of the semaphore of a site's probe.
func (f *Found) Semaphore(site, kind int) int { return f.at + site*Stride*8 + 4 + 2*kind }

// SetLocation notes in data which location of the pool a site's probe has.
func (f *Found) SetLocation(data []byte, site, kind, location int) {
	binary.LittleEndian.PutUint32(data[f.at+site*Stride*8+8+4*kind:], uint32(location+1))
}
