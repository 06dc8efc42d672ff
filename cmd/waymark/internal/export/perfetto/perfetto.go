// Package perfetto writes track events of Perfetto, in protocol buffers. Each goroutine has a
// track, and each call has a slice. A flow goes from the goroutine that starts another to the first
// call of that one. Below a goroutine's track is one for the times in which the goroutine did not
// run. Names are interned.
package perfetto

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/protobuf"
	"github.com/waymark-go/waymark/tracefile"
)

// Write writes the calls of a set that the filter shows.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	out := &writer{b: bufio.NewWriterSize(w, 1<<16), interned: make(map[string]uint64), tracks: make(map[uint64]bool), early: make(map[uint64]calls.Wait)}
	read, err := calls.Tell(set, filter, o, calls.Listener{Begin: out.begin, End: out.end, Wait: out.wait})
	if flushErr := out.b.Flush(); err == nil {
		err = flushErr
	}
	return read, err
}

// A writer writes packets of one sequence.
type writer struct {
	b         *bufio.Writer
	functions []bool                // by index: name and place are interned, by index + 1
	interned  map[string]uint64     // names of annotations and categories, which have a common count
	tracks    map[uint64]bool       // that have been described
	early     map[uint64]calls.Wait // by track: of goroutines that have made no call yet
	begun     bool                  // a packet has been written

	event, fresh protobuf.Message // of the packet that is being made: the track event, interned data
	packet       protobuf.Message
	part, inner  protobuf.Message // spare
}

// process returns the track of a process, which holds the tracks of its goroutines.
func process(p *calls.Process) uint64 { return uint64(p.Index+1) << 48 }

func track(p *calls.Process, goroutine uint64) uint64 { return process(p) | goroutine&(1<<47-1) }

// states returns the track that lies below that of a goroutine.
func states(track uint64) uint64 { return track | 1<<47 }

// describe writes the descriptor of a track, unless there is one.
func (w *writer) describe(uuid, parent uint64, name string, add func(*protobuf.Message)) error {
	if w.tracks[uuid] {
		return nil
	}
	w.tracks[uuid] = true
	var d protobuf.Message
	d.Uint(trackUUID, uuid)
	d.Uint(trackParent, parent)
	d.String(trackName, name)
	if add != nil {
		add(&d)
	}
	return w.write(packetTrackDescriptor, d, 0)
}

// introduce describes the track of a call that is the first of its goroutine. It begins the flow to
// that call. The flow's id is that of the track. introduce reports whether there is a flow.
func (w *writer) introduce(c *calls.Call) (flow bool, err error) {
	if !c.First {
		return false, nil
	}
	g := c.Goroutine
	p := g.Process
	err = w.describe(process(p), 0, "", func(d *protobuf.Message) {
		var m protobuf.Message
		m.Uint(processPID, uint64(p.PID))
		m.String(processName, p.File.Info().Program)
		d.Message(trackProcess, m)
	})
	if err != nil {
		return false, err
	}
	own := track(p, g.ID)
	if err := w.describe(own, process(p), fmt.Sprintf("goroutine %d %s", g.ID, c.Function.Name), nil); err != nil {
		return false, err
	}
	if early, ok := w.early[own]; ok {
		delete(w.early, own)
		if err := w.wait(&early); err != nil {
			return false, err
		}
	}
	if parent := track(p, g.Parent); g.Parent != 0 && w.tracks[parent] {
		w.event.Uint(eventType, typeInstant)
		w.event.Uint(eventTrack, parent)
		w.event.String(eventName, "go")
		w.event.Fixed(eventFlow, own)
		if o := g.Origin; o.File != "" {
			w.annotate("go statement", fmt.Sprintf("%s:%d", o.File, o.Line))
		}
		return true, w.flush(cmp.Or(g.Spawned, c.Start))
	}
	return false, nil
}

func (w *writer) begin(c *calls.Call) error {
	flow, err := w.introduce(c)
	if err != nil {
		return err
	}
	w.slice(typeBegin, c)
	if flow {
		w.event.Fixed(eventFlowEnd, track(c.Goroutine.Process, c.Goroutine.ID))
	}
	w.values("", c.Args())
	return w.flush(c.Start)
}

func (w *writer) end(c *calls.Call) error {
	if c.Single() {
		if _, err := w.introduce(c); err != nil {
			return err
		}
		w.slice(typeInstant, c)
		w.values("", c.Args())
	} else {
		w.event.Uint(eventType, typeEnd)
		w.event.Uint(eventTrack, track(c.Goroutine.Process, c.Goroutine.ID))
	}
	for name, ns := range c.Measures {
		w.annotation(name, func(a *protobuf.Message) { a.Member(annotationInt, uint64(ns)) })
	}
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			w.annotation(m.Name, func(a *protobuf.Message) { a.Member(annotationBool, 1) })
		}
	}
	w.values("= ", c.Results())
	if text := c.Panic(); text != "" {
		w.annotate("panic", text)
	}
	return w.flush(c.End)
}

// wait writes the parts of a wait, on the track of states.
func (w *writer) wait(p *calls.Wait) error {
	above := track(p.Goroutine.Process, p.Goroutine.ID)
	if !w.tracks[above] {
		w.early[above] = *p
		return nil
	}
	on := states(above)
	if err := w.describe(on, above, "not running", nil); err != nil {
		return err
	}
	for _, part := range []struct {
		name     string
		from, to int64
	}{{"waiting: " + p.Reason, p.Start, p.Ready}, {"runnable", p.Ready, p.End}} {
		if part.from == part.to {
			continue
		}
		w.event.Uint(eventType, typeBegin)
		w.event.Uint(eventTrack, on)
		w.event.Uint(eventNameIID, w.state(part.name))
		if part.from == p.Ready && p.Waker != 0 {
			w.annotation("made_ready_by", func(a *protobuf.Message) { a.Member(annotationInt, p.Waker) })
		}
		if err := w.flush(part.from); err != nil {
			return err
		}
		w.event.Uint(eventType, typeEnd)
		w.event.Uint(eventTrack, on)
		if err := w.flush(part.to); err != nil {
			return err
		}
	}
	return nil
}

// state returns the id of a state's name. Names of functions have ids, too, which begin at 1.
func (w *writer) state(name string) uint64 {
	iid, ok := w.interned["s"+name]
	if !ok {
		iid = firstState + uint64(len(w.interned))
		w.interned["s"+name] = iid
		w.intern(internedName, iid, name, nil)
	}
	return iid
}

// firstState is above the ids of functions, which are as many as have been called.
const firstState = 1 << 40

// slice fills in what begins a slice, or an instant: its name, category and place.
func (w *writer) slice(kind uint64, c *calls.Call) {
	f := c.Function
	for len(w.functions) <= f.Index {
		w.functions = append(w.functions, false)
	}
	iid := uint64(f.Index) + 1
	if !w.functions[f.Index] {
		w.functions[f.Index] = true
		w.intern(internedName, iid, f.Name, nil)
		w.intern(internedLocation, iid, f.File, func(m *protobuf.Message) {
			m.String(locationFunction, f.Name)
			m.Uint(locationLine, uint64(f.Line))
		})
	}
	w.event.Uint(eventType, kind)
	w.event.Uint(eventTrack, track(c.Goroutine.Process, c.Goroutine.ID))
	w.event.Uint(eventNameIID, iid)
	w.event.Uint(eventLocationIID, iid)
	if f.Package != "" {
		w.event.Uint(eventCategoryIID, w.name(internedCategory, "c"+f.Package, f.Package))
	}
	if c.Began < c.Start {
		w.annotation("began_ns", func(a *protobuf.Message) { a.Member(annotationInt, uint64(c.Began)) })
	}
}

// intern adds an entry to the packet's interned data.
func (w *writer) intern(kind protobuf.Number, iid uint64, name string, add func(*protobuf.Message)) {
	var m protobuf.Message
	m.Uint(internedIID, iid)
	m.String(internedText, name)
	if add != nil {
		add(&m)
	}
	w.fresh.Message(kind, m)
}

// name returns the id of an interned name. The key tells kinds of names apart.
func (w *writer) name(kind protobuf.Number, key, name string) uint64 {
	iid, ok := w.interned[key]
	if !ok {
		iid = uint64(len(w.interned)) + 1
		w.interned[key] = iid
		w.intern(kind, iid, name, nil)
	}
	return iid
}

// annotation adds an annotation, whose value add appends.
func (w *writer) annotation(name string, add func(*protobuf.Message)) {
	w.inner = w.inner[:0]
	w.inner.Uint(annotationNameIID, w.name(internedAnnotation, "a"+name, name))
	add(&w.inner)
	w.event.Message(eventAnnotation, w.inner)
}

func (w *writer) annotate(name, text string) {
	w.annotation(name, func(a *protobuf.Message) { a.Text(annotationText, text) })
}

func (w *writer) values(prefix string, list []calls.Value) {
	for _, v := range list {
		w.annotate(prefix+v.Name, v.Text)
	}
}

// flush writes the packet of the track event.
func (w *writer) flush(at int64) error {
	err := w.write(packetTrackEvent, w.event, max(at, 0))
	w.event, w.fresh = w.event[:0], w.fresh[:0]
	return err
}

// write writes a packet with a message.
func (w *writer) write(kind protobuf.Number, m protobuf.Message, at int64) error {
	p := w.packet[:0]
	p.Uint(packetTimestamp, uint64(at))
	p.Message(kind, m)
	p.Uint(packetSequence, 1)
	flags := uint64(needsState)
	if !w.begun {
		flags |= stateCleared
		w.begun = true
	}
	p.Uint(packetFlags, flags)
	if len(w.fresh) > 0 && kind == packetTrackEvent {
		p.Message(packetInterned, w.fresh)
	}
	w.packet = p
	w.part = w.part[:0]
	w.part.Head(tracePacket, len(p))
	w.b.Write(w.part)
	_, err := w.b.Write(p)
	return err
}
