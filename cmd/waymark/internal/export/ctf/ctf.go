// Package ctf writes traces in the Common Trace Format 1.8, for babeltrace2 and Trace Compass. A
// trace is a folder with one stream of events, in packets, and their description. See
// https://diamon.org/ctf/v1.8.3/.
//
// An event has its process and its goroutine as its context. A call is two events, begin and end; one
// that has no beginning (see calls.Call.Single) is one, counted. Events name a function by its number,
// whose labels are an enumeration in the description.
package ctf

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// Metadata is the name of the description, which the format demands, and Stream is that of the
// events.
const (
	Metadata = "metadata"
	Stream   = "calls"
)

// ErrFolder says that there is no place for the description.
var ErrFolder = errors.New("ctf is a folder: want its name")

// Write writes the calls of a set that the filter shows. It writes events to w. When all events are
// written, it writes the description with beside.
func Write(w io.Writer, beside func(name string, data []byte) error, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	if beside == nil {
		return nil, ErrFolder
	}
	out := &writer{packet: packet{w: w}}
	read, err := calls.Tell(set, filter, o, calls.Listener{Begin: out.begin, End: out.end})
	for _, end := range []func() error{out.flush, func() error { return beside(Metadata, out.about.text()) }} {
		if endErr := end(); err == nil {
			err = endErr
		}
	}
	return read, err
}

// Numbers of the classes of events.
const (
	function = iota
	started
	begin
	end
	counted
)

// A writer makes events of calls.
type writer struct {
	packet
	about description
}

// event begins an event of a class, in the context of g. at is its time in ns.
func (w *writer) event(class byte, g *calls.Goroutine, at int64) {
	w.packet.event(class, at)
	w.u32(uint32(g.Process.PID))
	w.u64(g.ID)
}

// introduce writes what is told once, of a function and of a goroutine.
func (w *writer) introduce(c *calls.Call, at int64) {
	f, g := c.Function, c.Goroutine
	if len(w.about.functions) == 0 {
		info := g.Process.File.Info()
		w.about.program, w.about.start = info.Program, info.Start.UnixNano()-int64(g.Process.Since)
	}
	if f.Index >= len(w.about.functions) { // they come in the order of their numbers
		w.about.functions = append(w.about.functions, f.Name)
		w.event(function, g, at)
		w.u32(uint32(f.Index))
		w.text(f.Name)
		w.text(f.Package)
		w.text(f.File)
		w.u32(uint32(f.Line))
	}
	if c.First && g.Parent != 0 {
		w.event(started, g, at)
		w.u64(g.Parent)
		w.text(g.Origin.Func)
		w.text(g.Origin.File)
		w.u32(uint32(g.Origin.Line))
	}
}

func (w *writer) begin(c *calls.Call) error {
	w.introduce(c, c.Start)
	w.event(begin, c.Goroutine, c.Start)
	w.called(c)
	return w.full()
}

// called writes who calls what, and with what.
func (w *writer) called(c *calls.Call) {
	w.u64(c.ID)
	w.u64(c.Caller)
	w.u32(uint32(c.Function.Index))
	w.values(c.Args())
}

func (w *writer) end(c *calls.Call) error {
	if c.Single() {
		w.introduce(c, c.End)
		w.event(counted, c.Goroutine, c.End)
		w.called(c)
	} else {
		w.event(end, c.Goroutine, c.End)
		w.u64(c.ID)
		w.u32(uint32(c.Function.Index))
	}
	w.u64(uint64(c.Duration))
	w.u64(uint64(c.Self))
	var runnable, waiting int64
	if off := c.SelfOff; off != nil {
		runnable, waiting = off.Runnable, off.Waited()
	}
	w.u64(uint64(runnable))
	w.u64(uint64(waiting))
	var marks []string
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			marks = append(marks, m.Name)
		}
	}
	w.text(strings.Join(marks, " "))
	w.values(c.Results())
	w.text(c.Panic())
	return w.full()
}

// values writes values as the text of a JSON object, "" if there are none.
func (w *writer) values(list []calls.Value) {
	if len(list) > 0 {
		w.json = calls.AppendObject(w.json[:0], list)
		w.content = append(w.content, w.json...)
	}
	w.content = append(w.content, 0)
}

// A packet collects events until there are enough of them.
type packet struct {
	w           io.Writer
	content     []byte // with room for the header at the start
	json        []byte
	first, last int64 // times of events, ns
	some        bool  // there is an event
}

const (
	magic       = 0xc1fc1fc1
	headerBytes = 2*4 + 4*8
	packetBytes = 1 << 18 // at least, but for the last one
)

// event begins an event. Times in a stream may not go back, as they do by a few ns where a
// goroutine's clock is behind another's.
func (p *packet) event(class byte, at int64) {
	at = max(at, p.last)
	if !p.some {
		p.content = append(p.content[:0], make([]byte, headerBytes)...)
		p.first, p.some = at, true
	}
	p.last = at
	p.content = append(p.content, class)
	p.u64(uint64(at))
}

func (p *packet) u32(n uint32) { p.content = binary.LittleEndian.AppendUint32(p.content, n) }
func (p *packet) u64(n uint64) { p.content = binary.LittleEndian.AppendUint64(p.content, n) }

// text writes a string, which ends with a zero byte and has no other.
func (p *packet) text(s string) {
	p.content = append(append(p.content, strings.ReplaceAll(s, "\x00", "\ufffd")...), 0)
}

// full writes the packet if there is enough in it.
func (p *packet) full() error {
	if len(p.content) < packetBytes {
		return nil
	}
	return p.flush()
}

// flush writes what there is.
func (p *packet) flush() error {
	if !p.some {
		return nil
	}
	h := binary.LittleEndian.AppendUint32(p.content[:0], magic)
	h = binary.LittleEndian.AppendUint32(h, 0) // the stream
	bits := uint64(len(p.content)) * 8
	for _, n := range []uint64{uint64(p.first), uint64(p.last), bits, bits} {
		h = binary.LittleEndian.AppendUint64(h, n)
	}
	_, err := p.w.Write(p.content)
	p.content, p.some = p.content[:0], false
	return err
}
