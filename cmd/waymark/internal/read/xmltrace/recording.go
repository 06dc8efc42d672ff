package xmltrace

import (
	"bytes"
	"encoding/xml"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/actions"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A writer writes a recording. A tick of its clock is a ns since 1970.
type writer struct {
	out   *os.File
	buf   []byte
	size  int64 // written before buf
	enc   format.Encoder
	seq   uint64
	clock int64 // where the first Clock block is in the file

	sites      map[string]uint32
	fresh      []string          // sites that are in no block yet
	goroutines map[string]uint64 // by keys of elements
	next       uint64            // goroutine without a number of its own
	processes  []string
	streams    []int64 // the time of the latest event
	first      int64
	last       int64
	events     uint64
}

const (
	maxTime   = 1<<62 - 1 // as of the clock of a recording
	frameSize = 64        // from token to token
	perChunk  = 4000      // records

	perProcess = 1_000_000_000 // goroutines
)

func newWriter(out *os.File, name string) *writer {
	w := &writer{out: out, sites: make(map[string]uint32), goroutines: make(map[string]uint64), first: math.MaxInt64}
	w.buf = format.AppendHeader(nil)
	w.buf = format.AppendBlock(w.buf, format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{
		{Key: format.MetaProgram, Value: name}, {Key: format.MetaGOOS, Value: runtime.GOOS}, {Key: format.MetaGOARCH, Value: runtime.GOARCH},
		{Key: format.MetaClock, Value: "nanotime"}, {Key: format.MetaHz, Value: "1000000000"}, {Key: format.MetaPID, Value: "0"}}))
	w.clock = int64(len(w.buf))
	w.buf = append(w.buf, clockBlock(0)...) // close puts the right time there
	return w
}

func clockBlock(t int64) []byte {
	return format.AppendBlock(nil, format.BlockClock, format.AppendClock(nil, format.ClockPair{Clock: uint64(t), UnixNano: t, MonoNano: t}))
}

// begin takes the time, in ns since 1970, that keys of the file's traces count from: so the
// recording's keys are the same.
func (w *writer) begin(start string) {
	if t, err := strconv.ParseInt(start, 10, 64); err == nil && t > 0 && t <= maxTime {
		w.first = t
	}
}

// trace writes the calls of an element. Errors are those of writing, and badAction if an action could
// not be understood: it is left out. The text may be cut if the element is not whole.
func (w *writer) trace(e xml.StartElement, text []byte, unit int64, whole bool) error {
	var bad error
	var recs []format.Record
	goroutine := w.goroutine(e)
	var stack []uint32 // sites
	add := func(t int64, word uint64) { recs = append(recs, format.Record{Clock: uint64(t), Word: word}) }
	code := func(code, value uint64) uint64 {
		return format.FirstCode<<format.SiteShift | code<<format.CodeShift | value
	}
	now := int64(0)
	for len(text) > 0 {
		one, rest, found := bytes.Cut(text, []byte("|"))
		if text = rest; !found && !whole {
			break
		}
		t, a, name, err := action(one)
		if err == nil && t > maxTime/unit {
			err = badAction(one)
		}
		if err != nil {
			if bad == nil && len(bytes.TrimSpace(one)) > 0 {
				bad = err
			}
			continue
		}
		t = max(t*unit, now, 1) // as a program's clock may go back
		if now == 0 {
			add(t, code(format.CodeStart, w.goroutines[attribute(e, "parent")]&format.ValueMask))
		}
		now = t
		site := w.site(name)
		if a == actions.Start {
			stack = append(stack, site)
			add(t, uint64(site)<<format.SiteShift|uint64(len(stack)*frameSize))
			continue
		}
		at := len(stack) - 1
		for at >= 0 && stack[at] != site {
			at--
		}
		if at < 0 {
			continue // its beginning is not in the file
		}
		token := uint64(at+1) * frameSize
		if a == actions.Exception {
			add(t, code(format.CodePanic, uint64(len(stack)+1)*frameSize))
			add(t, code(format.CodeRecover, token-1))
		} else {
			add(t, format.ExitBit|uint64(site)<<format.SiteShift|token)
		}
		stack = stack[:at]
	}
	if len(recs) == 0 {
		return bad
	}
	if len(stack) == 0 {
		add(now, code(format.CodeEnd, 0))
	}
	if err := w.write(goroutine, recs); err != nil {
		return err
	}
	return bad
}

// goroutine returns the goroutine of an element, and notes its key. Of several processes, with which keys
// begin then, goroutines may have the same numbers: to those of each further process perProcess is added.
func (w *writer) goroutine(e xml.StartElement) uint64 {
	key := attribute(e, "key")
	id, err := strconv.ParseUint(attribute(e, "goroutine"), 10, 40)
	if err != nil || id == 0 {
		w.next++
		id = w.next
	}
	if process, _, ok := strings.Cut(key, "/"); ok && !strings.Contains(process, "-") {
		i := slices.Index(w.processes, process)
		if i < 0 {
			i = len(w.processes)
			w.processes = append(w.processes, process)
		}
		id = (id + uint64(i)*perProcess) & format.ValueMask
	}
	w.goroutines[key] = id
	return id
}

func (w *writer) site(name string) uint32 {
	id, ok := w.sites[name]
	if !ok {
		id = uint32(len(w.sites) + 1)
		w.sites[name] = id
		w.fresh = append(w.fresh, name)
	}
	return id
}

// write writes the records of a goroutine, on a stream whose events are earlier.
func (w *writer) write(goroutine uint64, recs []format.Record) error {
	first, last := int64(recs[0].Clock), int64(recs[len(recs)-1].Clock)
	w.first, w.last = min(w.first, first), max(w.last, last)
	stream := 0
	for stream < len(w.streams) && w.streams[stream] > first {
		stream++
	}
	if stream == len(w.streams) {
		if stream == format.MaxStreams {
			stream-- // readers say that events are out of order
		} else {
			w.streams = append(w.streams, 0)
		}
	}
	w.streams[stream] = last
	w.describe()
	for len(recs) > 0 {
		n := min(len(recs), perChunk)
		w.seq++
		h := format.Chunk{State: format.ChunkFull, Stream: uint32(stream), Seq: w.seq, Clock: recs[0].Clock, Goroutine: goroutine}
		payload, events := w.enc.Append(nil, h, recs[:n])
		w.events += uint64(events)
		w.buf = format.AppendBlock(w.buf, format.BlockEvents, payload)
		recs = recs[n:]
	}
	if len(w.buf) < 1<<20 {
		return nil
	}
	return w.flush()
}

// describe writes the sites that are new.
func (w *writer) describe() {
	base := uint32(len(w.sites) - len(w.fresh) + 1)
	for len(w.fresh) > 0 { // one table has the functions of one package
		pkg, _ := names.Split(w.fresh[0])
		n := 0
		var sites []format.Site
		for ; n < len(w.fresh); n++ {
			if p, _ := names.Split(w.fresh[n]); p != pkg {
				break
			}
			sites = append(sites, format.Site{Name: w.fresh[n]})
		}
		w.buf = format.AppendBlock(w.buf, format.BlockSites, format.AppendSites(nil, base, string(format.AppendTable(nil, pkg, sites))))
		base, w.fresh = base+uint32(n), w.fresh[n:]
	}
}

func (w *writer) flush() error {
	n, err := w.out.Write(w.buf)
	w.size += int64(n)
	w.buf = w.buf[:0]
	return err
}

// close writes the end of the file, and the time of its beginning.
func (w *writer) close() error {
	if w.seq == 0 {
		w.first, w.last = 0, 0
	}
	w.buf = append(w.buf, clockBlock(w.last)...)
	w.buf = format.AppendBlock(w.buf, format.BlockEnd, format.AppendTrailer(nil, format.Trailer{Clock: uint64(w.last), Events: w.events}))
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.out.WriteAt(clockBlock(w.first), w.clock)
	return err
}
