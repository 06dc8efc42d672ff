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
		r, err := readBlocks(file, o, end, workers, tell)
		if !errors.Is(err, errOrder) {
			return r, err
		}
	}
	return Read(&counted{Events: file.Events(), tell: tell}, o, end)
}

// divides tells whether blocks can be read by themselves: those who are told each call
// want them in order.
func (o *Options) divides() bool { return o.OnEnter == nil && o.OnCall == nil }

// pausesPerSecond says how long a pause is, see cuts: a goroutine that goes on on
// another of the scheduler's Ps and comes back takes longer than half a microsecond.
const pausesPerSecond = 2_000_000

// readBlocks makes the result from digests of the blocks.
func readBlocks(file *tracefile.File, o Options, end uint64, workers int, tell func(events int)) (*Result, error) {
	b := New(o)
	spare := sync.Pool{New: func() any { return new(digest) }}
	pause := file.Info().Hz / pausesPerSecond
	digesters := make([]*digester, workers+1)
	for i := range digesters {
		digesters[i] = newDigester(b.opt, b.table, pause)
	}
	read := func(worker int, block *tracefile.Block) *digest {
		d := spare.Get().(*digest)
		digesters[worker].digest(block, d, noCuts)
		return d
	}
	j := newJoiner(b, digesters[workers], func(d *digest) { spare.Put(d) })
	take := func(d *digest) error {
		tell(d.all)
		return j.take(d)
	}
	past, err := tracefile.Scan(file, b.opt.To, workers, read, take)
	if errors.Is(err, errOrder) {
		return nil, err
	}
	if err := j.close(); err != nil {
		return nil, err
	}
	if past {
		b.last, b.past = b.opt.To, true
	}
	return b.Close(end), err
}

// counted tells how many events pass.
type counted struct {
	*tracefile.Events
	tell func(events int)
	n    int
}

func (c *counted) Next(ev *tracefile.Event) bool {
	if c.n++; c.n%countStep == 0 {
		c.tell(countStep)
	}
	return c.Events.Next(ev)
}

// countStep is how many events counted lets pass between two calls of tell.
const countStep = 1 << 12
