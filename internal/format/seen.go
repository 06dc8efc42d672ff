package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A seen file says which functions of a program were ever called. It has a head, which is mapped into
// the processes of one build of the program, and behind it their site tables:
//
//	0              SeenMagic, size and CRC-32 of what follows, and facts as in a Meta block
//	SeenBits       a bit for each site, by id, that was watched
//	SeenBits+half  a bit for each site that was called
//	SeenTables     tables: size, CRC-32, and a payload as of a Sites block
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
	Package string
	Info    bool // it is an info function
	Watched bool // its first call was to be noted
	Called  bool
}

// ParseSeen reads a seen file, as far as it is not damaged: then the error wraps ErrDamaged.
func ParseSeen(b []byte) (meta []KeyValue, list []SeenSite, err error) {
	if meta, err = ParseSeenHead(b); err != nil {
		return nil, nil, err
	}
	if len(b) < SeenTables {
		return meta, nil, fmt.Errorf("cut short: %w", ErrDamaged)
	}
	const half = (SeenTables - SeenBits) / 2
	watched, called := b[SeenBits:SeenBits+half], b[SeenBits+half:SeenTables]
	for rest := b[SeenTables:]; len(rest) > 0; {
		at := len(b) - len(rest)
		var payload []byte
		if payload, rest, err = NextSeen(rest); err != nil {
			return meta, list, fmt.Errorf("table at byte %d: %w", at, err)
		}
		base, pkg, sites, facility, err := ParseSites(payload)
		if err != nil {
			return meta, list, fmt.Errorf("table at byte %d: %w", at, err)
		}
		first := len(list)
		for i, s := range sites {
			id := int(base) + i
			if id >= SeenSites {
				break
			}
			bit := byte(1) << (id % 8)
			list = append(list, SeenSite{Site: s, Package: pkg, Watched: watched[id/8]&bit != 0, Called: called[id/8]&bit != 0})
		}
		for _, f := range facility.Functions {
			if f.Info != NotInfo && f.Site >= 0 && first+f.Site < len(list) {
				list[first+f.Site].Info = true
			}
		}
	}
	return meta, list, nil
}
