package tracefile

import (
	"errors"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Block gives the events of one block of a stream, some 4,000 in the order of
// time, in batches.
type Block struct {
	blockReader
	ref     BlockRef
	outline bool
	begin   uint64
	clock   uint64 // of the latest event; at first that of the latest before the block, or begin
}

// A BlockRef stands for a block, to read it again.
type BlockRef struct {
	f      *File
	at     *block
	stream uint32
	floor  uint64 // clock of the latest event before
}

// Ref returns what Open takes to read the block again.
func (b *Block) Ref() BlockRef { return b.ref }

// Open makes b give the events of the block that r stands for from the first one.
// Errors are the operating system's: what is damaged in the block is left out.
func (b *Block) Open(r BlockRef) error {
	if err := b.load(r, false); err != nil && !errors.Is(err, format.ErrDamaged) {
		return err
	}
	return nil
}

// Stream returns the stream that the block is of.
func (b *Block) Stream() uint32 { return b.ref.stream }

// Outline reports whether b gives only the outline of the block, see Scan.
func (b *Block) Outline() bool { return b.outline }

// Begin returns the clock at which the block begins: none of its events is earlier.
func (b *Block) Begin() uint64 { return b.begin }

// Next returns the next events, none at the end of the block. They are valid until
// the next call, and so is what their Data is in.
func (b *Block) Next() []Event {
	events := b.batch[:b.dec.Read(b.batch[:])]
	clock := b.clock
	for i := range events {
		ev := &events[i]
		clock = max(clock, min(ev.Clock, never-1))
		ev.Clock = clock
	}
	b.clock = clock
	return events
}

// load is Open, with errors that wrap format.ErrDamaged too. outline makes b give the events of the
// outline, if there is one.
func (b *Block) load(r BlockRef, outline bool) error {
	b.ref, b.f = r, r.f
	var err error
	if b.outline = outline && b.openOutline(r.at); !b.outline {
		err = b.open(r.at)
	}
	b.begin = b.header.Clock
	b.clock = max(r.floor, min(b.begin, never-1))
	return err
}

// Scan reads the blocks of f, as many at a time as there are workers, and gives their
// results one after the other. It is for readers that get along without the order
// in which Events gives events: blocks of different streams overlap in time.
//
// read is called in goroutines of the workers, for each block once. It is called once more if the
// block's outline turns out to be damaged. It is also called once more if the clock of the block's
// stream went back, and so the events' clocks have to change. What read returned before is then
// forgotten. Events have the clocks that Events gives them. read may stop before the end of the
// block. worker is below workers+1: calls with the same one come one after the other.
//
// The goroutine that called Scan calls take with the results. Blocks of a stream
// come in order. Those of different streams come in the order of their beginnings,
// as far as the blocks' headers tell it. An error of take ends Scan, which returns
// it. read is a few blocks ahead, so that as many results are in memory.
//
// Blocks that begin later than r ends are left out; then past is true. Of a block that ends before
// r begins, read may be given the outline. An outline lacks those calls that begin and end in the
// block. It lacks much else that doesn't matter for which calls are open behind the block. Damaged
// blocks are left out too, and counted as by Events, when their turn comes. Other errors are the
// operating system's.
func Scan[T any](f *File, r Range, workers int, read func(worker int, b *Block) T, take func(T) error) (past bool, err error) {
	return scanBlocks(f, newScanOrder(f.streams, r, nil), workers, read, take)
}

// scanBlocks is Scan for the blocks of an order.
func scanBlocks[T any](f *File, order *scanOrder, workers int, read func(worker int, b *Block) T, take func(T) error) (past bool, err error) {
	s := scan[T]{f: f, read: read, workers: workers}
	jobs := make(chan *scanned[T], 2*workers)
	defer close(jobs)
	for w := 0; w < workers; w++ {
		go s.work(w, jobs)
	}
	var pending, free []*scanned[T] // pending: in the order in which they were given out
	last := make([]uint64, len(f.streams))
	for {
		for len(pending) < cap(jobs) {
			stream, b, before := order.next()
			if b == nil {
				break
			}
			if len(free) == 0 {
				free = append(free, &scanned[T]{ready: make(chan struct{}, 1)})
			}
			j := free[len(free)-1]
			free = free[:len(free)-1]
			j.stream, j.at, j.before = stream, b, before
			pending = append(pending, j)
			jobs <- j
		}
		if len(pending) == 0 {
			return order.past, nil
		}
		j := pending[0]
		copy(pending, pending[1:])
		pending = pending[:len(pending)-1]
		<-j.ready
		if err := s.take(j, &last[j.stream], take); err != nil {
			for _, j := range pending {
				<-j.ready
			}
			return order.past, err
		}
		var none T
		j.result = none
		free = append(free, j)
	}
}

// scan is what the workers of Scan share.
type scan[T any] struct {
	f       *File
	workers int
	read    func(worker int, b *Block) T
	own     Block // of the goroutine that called Scan
}

// A scanned is a block that is being read, or has been.
type scanned[T any] struct {
	stream     int // index
	at         *block
	before     bool // it ends before the range begins
	ready      chan struct{}
	result     T
	whole      bool   // there is a result
	begin, end uint64 // the clock before and after the block's events
	err        error
}

func (s *scan[T]) work(worker int, jobs <-chan *scanned[T]) {
	var b Block
	for j := range jobs {
		s.block(worker, &b, j, 0)
		j.ready <- struct{}{}
	}
}

// block reads j's block, with no event before floor.
func (s *scan[T]) block(worker int, b *Block, j *scanned[T], floor uint64) {
	j.err = b.load(BlockRef{s.f, j.at, s.f.streams[j.stream].id, floor}, j.before)
	if j.whole = j.err == nil; j.whole {
		j.begin = b.clock
		j.result = s.read(worker, b)
		if j.end, j.err = b.clock, b.dec.Err(); j.err != nil && b.outline {
			j.before = false // the block itself may be whole
			s.block(worker, b, j, floor)
		}
	}
}

// take hands j's result on. last is the clock of its stream before j, and is set to that after it.
func (s *scan[T]) take(j *scanned[T], last *uint64, take func(T) error) error {
	if j.whole && j.begin < *last {
		s.block(s.workers, &s.own, j, *last)
	}
	if j.err != nil {
		if !errors.Is(j.err, format.ErrDamaged) {
			return j.err
		}
		s.f.spoil(j.at)
	}
	if !j.whole {
		return nil
	}
	*last = j.end
	return take(j.result)
}

// A scanOrder gives blocks in the order in which Scan takes them.
type scanOrder struct {
	rest   [][]block // of each stream
	clocks []uint64  // at which the streams' next blocks begin, as their headers say
	tree   tree      // of clocks; without nodes if there is no stream
	from   uint64
	until  uint64
	past   bool              // some were left out because of until
	wanted func(*block) bool // others are left out, unless it is nil
}

func newScanOrder(streams []*stream, r Range, wanted func(*block) bool) *scanOrder {
	o := &scanOrder{from: r.From, until: r.end(), wanted: wanted}
	for _, s := range streams {
		o.rest = append(o.rest, s.blocks)
		o.clocks = append(o.clocks, 0)
		o.advance(len(o.rest) - 1)
	}
	if len(streams) > 0 {
		o.tree = newTree(o.clocks)
	}
	return o
}

// advance skips the next blocks of a stream that are left out, and sets the
// stream's clock to that of the next one which isn't.
func (o *scanOrder) advance(stream int) {
	rest := o.rest[stream]
	for len(rest) > 0 {
		late := rest[0].clock > o.until
		if !late && (o.wanted == nil || o.wanted(&rest[0])) {
			break
		}
		rest = rest[1:]
		o.past = o.past || late
	}
	o.rest[stream] = rest
	if len(rest) == 0 {
		o.clocks[stream] = never
	} else {
		// Blocks of a stream are in order, whatever a damaged header says.
		o.clocks[stream] = max(o.clocks[stream], min(rest[0].clock, never-1))
	}
}

// next returns the next block and the index of its stream; nil if there are no more. before says
// whether all events of the block are before from, as far as headers tell.
func (o *scanOrder) next() (stream int, b *block, before bool) {
	if len(o.clocks) == 0 || o.tree.winner().clock == never {
		return 0, nil, false
	}
	stream = int(o.tree.winner().stream)
	b = &o.rest[stream][0]
	o.rest[stream] = o.rest[stream][1:]
	before = len(o.rest[stream]) > 0 && o.rest[stream][0].clock < o.from
	o.advance(stream)
	o.tree.replace(o.clocks[stream])
	return stream, b, before
}
