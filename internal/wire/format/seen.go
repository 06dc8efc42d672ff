package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A seen file says which functions of a program were ever called. It has a head, which is mapped into
// the processes of one build of the program, and behind it their site tables:
//
//	0              SeenMagic, size and CRC-32 of what follows, and facts as in a Meta block
//	SeenBits       a bit for each site, by id, that was watched
//	SeenBits+half  a bit for each site that was called
//	SeenTables     blocks: size, CRC-32, and a payload: as of a Sites block, or
//	               0, package, test, flags, number of sites, and their ids as differences
const (
	SeenMagic  = "waymark seen 1\n\x00"
	SeenBits   = 4 << 10
	SeenTables = 128 << 10 // a multiple of all page sizes
	SeenSites  = (SeenTables - SeenBits) / 2 * 8
)

// MetaBuild is the key of the build's id in a seen file.
const MetaBuild = "build"

// ErrNotSeen says that a file is no seen file.
var ErrNotSeen = errors.New("not a file of WAYMARK=seen")

// AppendSeenHead appends the beginning of a seen file, up to SeenBits.
func AppendSeenHead(dst []byte, meta []KeyValue) ([]byte, error) {
	start := len(dst)
	dst = appendSeen(append(dst, SeenMagic...), AppendMeta(nil, meta))
	if len(dst)-start > SeenBits {
		return nil, fmt.Errorf("the facts about the program take %d bytes, want %d at most", len(dst)-start, SeenBits)
	}
	return append(dst, make([]byte, SeenBits-(len(dst)-start))...), nil
}

// AppendSeenTable appends the table of a package whose first site has the id base.
func AppendSeenTable(dst []byte, base uint32, table string) []byte {
	return appendSeen(dst, AppendSites(nil, base, table))
}

func appendSeen(dst, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(payload))
	return append(dst, payload...)
}

// NextSeen returns the payload at the beginning of b, and what follows it. The error wraps
// ErrDamaged.
func NextSeen(b []byte) (payload, rest []byte, err error) {
	if len(b) < SeenTableHeader {
		return nil, nil, fmt.Errorf("cut short: %w", ErrDamaged)
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	payload = b[SeenTableHeader:]
	if size > uint64(len(payload)) {
		return nil, nil, fmt.Errorf("cut short: %w", ErrDamaged)
	}
	payload, rest = payload[:size], payload[size:]
	if crc32.ChecksumIEEE(payload) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, nil, fmt.Errorf("bad checksum: %w", ErrDamaged)
	}
	return payload, rest, nil
}

// SeenTableHeader is what comes before the payload of a table, bytes.
const SeenTableHeader = 8

// ParseSeenHead reads the beginning of a seen file.
func ParseSeenHead(b []byte) (meta []KeyValue, err error) {
	if len(b) < len(SeenMagic) || string(b[:len(SeenMagic)]) != SeenMagic {
		return nil, ErrNotSeen
	}
	payload, _, err := NextSeen(b[len(SeenMagic):min(len(b), SeenBits)])
	if err != nil {
		return nil, err
	}
	return ParseMeta(payload)
}

// A SeenSite is a function of a seen file.
type SeenSite struct {
	Site
	ID      uint32
	Package string
	Info    bool // it is an info function
	Watched bool // its first call was to be noted
	Called  bool
}

// A SeenTest says which functions were called while a test ran. A test may have several, which add
// up.
type SeenTest struct {
	Package    string // import path of what was tested
	Test       string // of the top level, as in package testing; empty: what ran before all tests
	Overlapped bool   // other tests ran at the same time: functions may have been called by these
	Sites      []uint32
}

// AppendSeenTest appends what a test has called. Sites are ascending.
func AppendSeenTest(dst []byte, t SeenTest) []byte {
	payload := appendString(appendString([]byte{0}, t.Package), t.Test)
	flags := byte(0)
	if t.Overlapped {
		flags = 1
	}
	payload = binary.AppendUvarint(append(payload, flags), uint64(len(t.Sites)))
	last := uint32(0)
	for _, id := range t.Sites {
		payload = binary.AppendUvarint(payload, uint64(id-last))
		last = id
	}
	return appendSeen(dst, payload)
}

func parseSeenTest(payload []byte) (t SeenTest, err error) {
	c := cursor{b: payload}
	c.byte()
	t = SeenTest{Package: c.string(), Test: c.string(), Overlapped: c.byte()&1 != 0}
	last := uint32(0)
	for n := c.count(1); n > 0 && c.err == nil; n-- {
		last += uint32(c.uvarint())
		t.Sites = append(t.Sites, last)
	}
	return t, c.err
}

// A SeenFile is what a seen file says.
type SeenFile struct {
	Meta  []KeyValue
	Sites []SeenSite
	Tests []SeenTest
	Left  function.LeftOut // functions of the same packages that are not instrumented
}

// ParseSeen reads a seen file, as far as it is not damaged: then the error wraps ErrDamaged. It returns
// nil if there is nothing to read.
func ParseSeen(b []byte) (*SeenFile, error) {
	meta, err := ParseSeenHead(b)
	if err != nil {
		return nil, err
	}
	f := &SeenFile{Meta: meta}
	if len(b) < SeenTables {
		return f, fmt.Errorf("cut short: %w", ErrDamaged)
	}
	head := b[:SeenTables]
	for rest := b[SeenTables:]; len(rest) > 0; {
		at := len(b) - len(rest)
		var payload []byte
		if payload, rest, err = NextSeen(rest); err == nil {
			err = f.block(head, payload)
		}
		if err != nil {
			return f, fmt.Errorf("table at byte %d: %w", at, err)
		}
	}
	return f, nil
}

func (f *SeenFile) block(head, payload []byte) error {
	if len(payload) > 0 && payload[0] == 0 {
		t, err := parseSeenTest(payload)
		f.Tests = append(f.Tests, t)
		return err
	}
	base, pkg, sites, facility, err := ParseSites(payload)
	if err != nil {
		return err
	}
	const half = (SeenTables - SeenBits) / 2
	watched, called := head[SeenBits:SeenBits+half], head[SeenBits+half:]
	first := len(f.Sites)
	for i, s := range sites {
		id := int(base) + i
		if id >= SeenSites {
			break
		}
		bit := byte(1) << (id % 8)
		f.Sites = append(f.Sites, SeenSite{Site: s, ID: uint32(id), Package: pkg, Watched: watched[id/8]&bit != 0, Called: called[id/8]&bit != 0})
	}
	if len(sites) > 0 {
		path, _ := names.Split(sites[0].Name)
		f.Left.Add(facility.Left.Of(path))
	}
	for _, t := range facility.Functions {
		if t.Info != NotInfo && t.Site >= 0 && first+t.Site < len(f.Sites) {
			f.Sites[first+t.Site].Info = true
		}
	}
	return nil
}
