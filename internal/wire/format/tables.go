package format

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A reader of payloads that remembers its first error, so that parsing code
// checks once at the end. Counts and lengths are bounded by the bytes that are
// left: damaged input can't make it allocate more than a small multiple of its size.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s, %d bytes before the end of the block: %w", what, len(c.b), ErrDamaged)
	}
	c.b = nil
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail("bad number")
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) u64() uint64 {
	if len(c.b) < 8 {
		c.fail("bad 8-byte number")
		return 0
	}
	v := binary.LittleEndian.Uint64(c.b)
	c.b = c.b[8:]
	return v
}

func (c *cursor) byte() byte {
	if len(c.b) < 1 {
		c.fail("bad byte")
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.b)) {
		c.fail("bad length")
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) string() string { return string(c.bytes()) }

// count reads the number of items that follow, each at least min bytes long.
func (c *cursor) count(min int) int {
	n := c.uvarint()
	if n > uint64(len(c.b)/min) {
		c.fail("bad count")
		return 0
	}
	return int(n)
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// A KeyValue is one fact about the recorded program or its host.
type KeyValue struct{ Key, Value string }

// Keys of the Meta block.
const (
	MetaProgram  = "program"       // path of the executable
	MetaGo       = "go"            // runtime.Version()
	MetaGOOS     = "goos"          //
	MetaGOARCH   = "goarch"        //
	MetaHost     = "host"          // host name
	MetaCPUs     = "cpus"          // runtime.NumCPU()
	MetaPID      = "pid"           //
	MetaParent   = "ppid"          //
	MetaClock    = "clock"         // tsc, cntvct or nanotime
	MetaHz       = "hz"            // ticks per second, estimated or as the processor says
	MetaStart    = "start_unix_ns" // when recording began
	MetaOverflow = "overflow"      // block, drop or ring
	MetaWaiting  = "waiting"       // 1: there are events Parked and Waited
	MetaObjects  = "objects"       // 1: there are events Made, and a block Objects at the end
	MetaSpawns   = "spawns"        // 1: there are events Spawn
	MetaPatched  = "patched"       // 1: the program's functions were patched: inlined calls are missing
	MetaErrors   = "errors"        // 0: there are no events Error, although calls may have returned errors
	MetaArena    = "arena"         // the arena's file name, absolute or relative to the trace file's folder; empty if there is none
	MetaNonce    = "nonce"         // hex; the arena carries the same, and all parts of a recording do
	MetaTests    = "tests"         // import path of the package whose tests the go command ran; else there is none
	MetaPart     = "part"          // of a rotated recording: decimal, from 0; absent if it isn't rotated
	MetaFrom     = "from"          // clock, decimal: of what happened before not all is in the file; absent if all is
	MetaWindow   = "window"        // ns, decimal: how much of a ring is wanted; absent if all is
	MetaBudget   = "budget"        // as the user wrote it, such as 10%; absent if there was none
	MetaCPU      = "cpu"           // ns, decimal: CPU time of the process until the end of the recording
	MetaTracing  = "cpu-tracing"   // ns, decimal: of cpu, what tracing took as far as the program knows
	MetaAdvice   = "budget-advice" // of a recording without a budget: how many sites one of 10% had demoted, and the ids of some
)

// AppendMeta appends the payload of a Meta block.
func AppendMeta(dst []byte, meta []KeyValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(meta)))
	for _, kv := range meta {
		dst = appendString(appendString(dst, kv.Key), kv.Value)
	}
	return dst
}

// ParseMeta reads the payload of a Meta block.
func ParseMeta(payload []byte) ([]KeyValue, error) {
	c := cursor{b: payload}
	meta := make([]KeyValue, 0, c.count(2))
	for i := cap(meta); i > 0 && c.err == nil; i-- {
		meta = append(meta, KeyValue{c.string(), c.string()})
	}
	return meta, c.err
}

// AppendClock appends the payload of a Clock block.
func AppendClock(dst []byte, p ClockPair) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, p.Clock)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(p.UnixNano))
	return binary.LittleEndian.AppendUint64(dst, uint64(p.MonoNano))
}

// ParseClock reads the payload of a Clock block.
func ParseClock(payload []byte) (ClockPair, error) {
	c := cursor{b: payload}
	p := ClockPair{c.u64(), int64(c.u64()), int64(c.u64())}
	return p, c.err
}

// AppendTable appends a site table for the package with the given import path.
func AppendTable(dst []byte, pkg string, sites []Site) []byte {
	index := make(map[string]int)
	var files []string
	for _, s := range sites {
		if _, ok := index[s.File]; !ok {
			index[s.File] = len(files)
			files = append(files, s.File)
		}
	}
	dst = appendString(dst, pkg)
	dst = binary.AppendUvarint(dst, uint64(len(files)))
	for _, f := range files {
		dst = appendString(dst, f)
	}
	dst = binary.AppendUvarint(dst, uint64(len(sites)))
	for _, s := range sites {
		dst = appendString(dst, s.Name)
		dst = binary.AppendUvarint(dst, uint64(index[s.File]))
		dst = binary.AppendUvarint(dst, uint64(s.Line))
		dst = binary.AppendUvarint(dst, uint64(s.Flags))
	}
	return appendSignatures(dst, sites)
}

// appendSignatures appends the names of the values that sites record, if any does.
func appendSignatures(dst []byte, sites []Site) []byte {
	n := 0
	for _, s := range sites {
		if s.Args != nil || s.Results != nil {
			n++
		}
	}
	if n == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	for i, s := range sites {
		if s.Args != nil || s.Results != nil {
			dst = binary.AppendUvarint(dst, uint64(i))
			dst = appendStrings(dst, typed(s.Args, s.ArgTypes))
			dst = appendStrings(dst, typed(s.Results, s.ResultTypes))
		}
	}
	return dst
}

// typed returns names, each with a blank and its type behind it if that is given.
func typed(names, types []string) []string {
	list := slices.Clone(names)
	for i := range list {
		if i < len(types) && types[i] != "" {
			list[i] += " " + types[i]
		}
	}
	return list
}

// untyped takes the types out of a list that typed has made, and returns them; nil if there are none.
func untyped(names []string) (types []string) {
	for i, name := range names {
		if name, typ, ok := strings.Cut(name, " "); ok {
			if types == nil {
				types = make([]string, len(names))
			}
			names[i], types[i] = name, typ
		}
	}
	return types
}

func appendStrings(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendString(dst, s)
	}
	return dst
}

// ParseTable reads a site table.
func ParseTable(table []byte) (pkg string, sites []Site, err error) {
	c := cursor{b: table}
	pkg, sites = c.table()
	f := c.facility(len(sites))
	c.rest(sites, &f)
	return pkg, sites, c.err
}

func (c *cursor) table() (pkg string, sites []Site) {
	pkg = c.string()
	files := make([]string, c.count(1))
	for i := range files {
		files[i] = c.string()
	}
	sites = make([]Site, 0, c.count(4))
	for i := cap(sites); i > 0 && c.err == nil; i-- {
		s := Site{Name: c.string()}
		if f := c.uvarint(); f < uint64(len(files)) {
			s.File = files[f]
		} else {
			c.fail("bad file index")
		}
		s.Line = int(c.uvarint())
		s.Flags = SiteFlags(c.uvarint())
		sites = append(sites, s)
	}
	if len(c.b) == 0 || c.err != nil {
		return pkg, sites
	}
	for n := c.count(3); n > 0 && c.err == nil; n-- {
		i, args, results := c.uvarint(), c.strings(), c.strings()
		if i >= uint64(len(sites)) {
			c.fail("bad index of a site")
			break
		}
		s := &sites[i]
		s.ArgTypes, s.ResultTypes = untyped(args), untyped(results)
		s.Args, s.Results = args, results
	}
	return pkg, sites
}

// strings reads a list, nil if it is empty.
func (c *cursor) strings() []string {
	n := c.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, 0, n)
	for ; n > 0 && c.err == nil; n-- {
		list = append(list, c.string())
	}
	return list
}

// AppendSites appends the payload of a Sites block: a table whose first site has the id base.
func AppendSites(dst []byte, base uint32, table string) []byte {
	return append(binary.AppendUvarint(dst, uint64(base)), table...)
}

// ParseSites reads the payload of a Sites block.
func ParseSites(payload []byte) (base uint32, pkg string, sites []Site, f Facility, err error) {
	c := cursor{b: payload}
	b := c.uvarint()
	pkg, sites = c.table()
	f = c.facility(len(sites))
	c.rest(sites, &f)
	if b == 0 || b > FirstCode-uint64(len(sites)) {
		c.fail(fmt.Sprintf("bad site id %d", b))
	}
	return uint32(b), pkg, sites, f, c.err
}

// AppendOrigins appends the payload of an Origins block.
func AppendOrigins(dst []byte, origins []Origin) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(origins)))
	for _, o := range origins {
		dst = binary.AppendUvarint(dst, uint64(o.ID))
		dst = binary.AppendUvarint(dst, uint64(o.Line))
		dst = appendString(appendString(dst, o.Func), o.File)
	}
	return dst
}

// ParseOrigins reads the payload of an Origins block.
func ParseOrigins(payload []byte) ([]Origin, error) {
	c := cursor{b: payload}
	origins := make([]Origin, 0, c.count(4))
	for i := cap(origins); i > 0 && c.err == nil; i-- {
		origins = append(origins, Origin{ID: uint32(c.uvarint()), Line: int(c.uvarint()), Func: c.string(), File: c.string()})
	}
	return origins, c.err
}

// AppendTrailer appends the payload of an End block.
func AppendTrailer(dst []byte, t Trailer) []byte {
	for _, v := range [...]uint64{t.Clock, t.Events, t.Lost, t.Flags, t.Recovered} {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	return dst
}

// ParseTrailer reads the payload of an End block.
func ParseTrailer(payload []byte) (Trailer, error) {
	c := cursor{b: payload}
	t := Trailer{c.u64(), c.u64(), c.u64(), c.u64(), c.u64()}
	return t, c.err
}
