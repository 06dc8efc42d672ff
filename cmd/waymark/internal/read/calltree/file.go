package calltree

import (
	"errors"
	"sync"

	"github.com/waymark-go/waymark/tracefile"
)

// ReadFile is Read for all events of a file, which as many workers at a time read.
// tell is called now and then with how many events more have been read; it may be nil.
func ReadFile(file *tracefile.File, o Options, end uint64, workers int, tell func(events int)) (*Result, error) {
	if tell == nil {
		tell = func(int) {}
	}
	if o.divides() {
		b := New(o)
		past, err := b.readBlocks(file, tracefile.Range{From: b.opt.From, To: b.opt.To}, false, workers, tell)
		if !errors.Is(err, errOrder) {
			if past {
				b.last, b.past = b.opt.To, true
			}
			return b.Close(end), err
		}
		if o.Sketch != nil {
			o.Sketch.Again()
		}
	}
	return Read(&counted{Events: file.Events(), tell: tell, stop: o.Stop}, o, end)
}

// divides reports whether blocks can be read by themselves: those who are told each call
// want them in order.
func (o *Options) divides() bool { return o.OnEnter == nil && o.OnCall == nil }

// pausesPerSecond says how long a pause is, see cuts. A goroutine that runs on another of the
// scheduler's Ps and comes back takes longer than half a microsecond.
const pausesPerSecond = 2_000_000

// readBlocks takes in the events of file that are not later than r. It makes digests of the blocks,
// or of their outlines before r. readBlocks reports whether there are more events. After errOrder b
// is of no use. With strict the error comes also where the clock of a stream goes back from one
// block to the next.
func (b *Builder) readBlocks(file *tracefile.File, r tracefile.Range, strict bool, workers int, tell func(events int)) (past bool, err error) {
	spare := sync.Pool{New: func() any { return new(digest) }}
	pause := file.Info().Hz / pausesPerSecond
	o := b.opt
	o.To = r.To
	digesters := make([]*digester, workers+1)
	for i := range digesters {
		digesters[i] = newDigester(o, b.table, pause)
	}
	read := func(worker int, block *tracefile.Block) *digest {
		d := spare.Get().(*digest)
		digesters[worker].digest(block, d, noCuts)
		return d
	}
	j := newJoiner(b, digesters[workers], func(d *digest) { spare.Put(d) })
	j.strict = strict
	take := func(d *digest) error {
		tell(d.all)
		if o.Stop != nil {
			if err := o.Stop(); err != nil {
				return err
			}
		}
		return j.take(d)
	}
	past, err = tracefile.Scan(file, r, workers, read, take)
	if errors.Is(err, errOrder) {
		return false, err
	}
	if err := j.close(); err != nil {
		return false, err
	}
	return past || j.past, err
}

// counted reports how many events pass.
type counted struct {
	*tracefile.Events
	tell func(events int)
	stop func() error
	n    int
	err  error
}

func (c *counted) Next(ev *tracefile.Event) bool {
	if c.n++; c.n%countStep == 0 {
		c.tell(countStep)
		if c.stop != nil {
			if c.err = c.stop(); c.err != nil {
				return false
			}
		}
	}
	return c.Events.Next(ev)
}

// Err returns the error that ended reading.
func (c *counted) Err() error {
	if c.err != nil {
		return c.err
	}
	return c.Events.Err()
}

// countStep is how many events counted lets pass between two calls of tell.
const countStep = 1 << 12
