package recorder

import (
	"errors"
	"fmt"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// errRemoved says that a file which is being written has been removed.
var errRemoved = errors.New("was removed by another program")

// A cutError says that a file which is being written has been cut.
type cutError struct {
	path string
	size int64 // that it has now, bytes
}

func (e *cutError) Error() string {
	return fmt.Sprintf("%s was cut to %d bytes by another program", e.path, e.size)
}

// isCut reports whether err is a cutError.
func isCut(err error) bool {
	return err != nil && errors.As(err, new(*cutError)) // which is on the heap
}

// An output is a trace file that is being written.
type output struct {
	file *file
	size int64  // of the file's whole blocks, bytes
	buf  []byte // blocks to write

	written tally // what the file's blocks hold
	pending tally // what buf holds besides

	indexer format.Indexer
}

// A tally counts events.
type tally struct{ events, lost uint64 }

// block appends a block to what is to be written.
func (o *output) block(kind format.BlockKind, payload []byte) {
	o.buf = format.AppendBlock(o.buf, kind, payload)
}

// write writes buf to the file. A block written in part is taken back.
func (o *output) write() error {
	if err := o.file.write(o.buf, o.size); err != nil {
		if !isCut(err) {
			o.file.truncate(o.size)
		}
		return err
	}
	o.indexer.Written(o.buf)
	o.size += int64(len(o.buf))
	o.buf = o.buf[:0]
	o.written.events += o.pending.events
	o.written.lost += o.pending.lost
	o.pending = tally{}
	return nil
}

// writeAhead writes a block before those in buf.
func (o *output) writeAhead(block []byte) error {
	buf, pending := o.buf, o.pending
	o.buf, o.pending = block, tally{}
	err := o.write()
	o.buf, o.pending = buf, pending
	return err
}

// end writes what is left and the trailer with the given flags, and closes the file. last is when
// recording into it ended.
func (o *output) end(last format.ClockPair, flags uint64) error {
	if o.indexer.Wanted() {
		o.buf = o.indexer.AppendTo(o.buf, o.size)
	}
	o.block(format.BlockClock, format.AppendClock(nil, last))
	o.block(format.BlockEnd, format.AppendTrailer(nil, format.Trailer{
		Clock: last.Clock, Events: o.written.events + o.pending.events, Lost: o.written.lost + o.pending.lost, Flags: flags}))
	err := o.write()
	if err1 := o.file.close(); err == nil {
		err = err1
	}
	return err
}

// write writes what is in r.out. If others have cut the file it begins anew, with all
// that readers need: what is gone counts as lost.
func (r *Recorder) write() error {
	r.out.buf = r.journal.AppendTo(r.out.buf)
	err := r.out.write()
	if err == nil {
		r.journal.Clear()
		return nil
	}
	var cut *cutError // is on the heap
	if !errors.As(err, &cut) {
		return err
	}
	lost := r.out.written.events + r.out.written.lost
	o := output{file: r.out.file, pending: r.out.pending}
	o.pending.lost += lost
	r.origins, r.norigin, r.types = r.preamble(&o, r.partMeta()...)
	clock, _ := r.rt.Clock()
	r.firstCounts(&o, clock)
	o.buf = append(o.buf, r.out.buf...) // what both have readers take once
	r.out, r.filling.blocks = o, 0
	r.giver.reset()
	if err := o.file.truncate(0); err != nil {
		return err
	}
	if err := r.out.write(); err != nil {
		return err
	}
	r.journal.Clear()
	console.Say("%v; %d events that were in it are lost, recording goes on", cut, lost)
	return nil
}
