package timing

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// An open is an enter whose exit hasn't come yet.
type open struct {
	goroutine uint64
	at        time.Duration
	told      *audience // that of the enter, and so of the exit; nil of a shadow
	own       bool      // only its own goroutine's exits end it
	below     *open     // the one before it in the shard's chain

	older, newer *open // in the shard, of those that any goroutine may end
}

// pool keeps opens that aren't in use: a timer that is warm allocates nothing.
var pool = sync.Pool{New: func() any { return new(open) }}

// An opens keeps the opens of a timer. They are spread over shards by their goroutines, so that goroutines which use one timer at the
// same time don't wait for each other.
type opens [shardCount]shard

type shard struct {
	mu             sync.Mutex
	chains         []*open // by goroutine, each with the latest first; their number is a power of two
	oldest, newest *open   // of those that any goroutine may end
	n, shadows     int
	timed          atomic.Int64 // in Timer.Time, which needs no open

	_ [64]byte // no two in one cache line
}

const (
	shardBits  = 4
	shardCount = 1 << shardBits
)

// shard gives the one for a goroutine of that id.
func (o *opens) shard(goroutine uint64) *shard { return &o[hash(goroutine)] }

// spread gives a number below shardCount for the calling goroutine, whose id that is. Where the id isn't known
// the address of the stack stands in for it, which differs between goroutines and may change.
func spread(goroutine uint64) int {
	if goroutine == 0 {
		var here byte
		goroutine = uint64(uintptr(unsafe.Pointer(&here)) >> 11)
	}
	return hash(goroutine)
}

func hash(n uint64) int { return int(n * 0x9E3779B97F4A7C15 >> (64 - shardBits)) }

// chain gives where the chain of a goroutine begins. There is one.
func (s *shard) chain(goroutine uint64) **open {
	return &s.chains[goroutine>>shardBits&uint64(len(s.chains)-1)]
}

// push adds an open. The caller has the lock.
func (s *shard) push(o *open) {
	if s.n >= 2*len(s.chains) {
		s.grow()
	}
	chain := s.chain(o.goroutine)
	o.below = *chain
	*chain = o
	s.n++
	if o.told == nil {
		s.shadows++
	}
	if o.own {
		return
	}
	if o.older = s.newest; o.older != nil {
		o.older.newer = o
	} else {
		s.oldest = o
	}
	s.newest = o
}

// find gives the latest open of a goroutine, of those that only its own exits end or of the others. The caller has the lock.
func (s *shard) find(goroutine uint64, own bool) *open {
	if len(s.chains) == 0 {
		return nil
	}
	o := *s.chain(goroutine)
	for o != nil && (o.goroutine != goroutine || o.own != own) {
		o = o.below
	}
	return o
}

// grow makes more chains, so that they stay short.
func (s *shard) grow() {
	old := s.chains
	s.chains = make([]*open, max(4, 2*len(old)))
	for _, o := range old {
		var oldest *open // the chain turned round
		for o != nil {
			o.below, oldest, o = oldest, o, o.below
		}
		for o = oldest; o != nil; {
			next, chain := o.below, s.chain(o.goroutine)
			o.below, *chain = *chain, o
			o = next
		}
	}
}

// shadow notes by o a call of a timer that is off, if an earlier one of the goroutine's began when it was on: the exit that
// comes next is that of this one. It tells whether it was needed. The caller has the lock.
func (s *shard) shadow(o *open, goroutine uint64) bool {
	if s.find(goroutine, true) == nil {
		return false
	}
	*o = open{goroutine: goroutine, own: true}
	s.push(o)
	return true
}

// remove takes an open out. The caller has the lock.
func (s *shard) remove(o *open) {
	at := s.chain(o.goroutine)
	for *at != o {
		at = &(*at).below
	}
	*at = o.below
	s.n--
	if o.told == nil {
		s.shadows--
	}
	if o.own {
		return
	}
	if o.older != nil {
		o.older.newer = o.newer
	} else {
		s.oldest = o.newer
	}
	if o.newer != nil {
		o.newer.older = o.older
	} else {
		s.newest = o.older
	}
}

// take gives the open that an exit on a goroutine ends, and takes it out; nil if there is none.
//
// It is the goroutine's own latest one. If that has none, it is the oldest of all others: what goes from one goroutine to the
// next mostly leaves in the order in which it came; and where it doesn't, durations are wrong by no more than one thing
// overtook another, while taking the latest would let an early one wait for ever under load. Whichever is taken, the sum of all durations
// is the same.
func (o *opens) take(goroutine uint64) *open {
	s := o.shard(goroutine)
	s.mu.Lock()
	found := s.find(goroutine, false)
	if found != nil {
		s.remove(found)
	}
	s.mu.Unlock()
	if found == nil {
		found = o.takeOldest()
	}
	return found
}

// takeOldest takes out the oldest of all that any goroutine may end. All shards are locked, so that none is missed because it
// comes into one that has been looked at while another exit takes what is in the next one.
func (o *opens) takeOldest() (oldest *open) {
	for i := range o {
		s := &o[i]
		s.mu.Lock()
		if s.oldest != nil && (oldest == nil || s.oldest.at < oldest.at) {
			oldest = s.oldest
		}
	}
	if oldest != nil {
		o.shard(oldest.goroutine).remove(oldest)
	}
	for i := range o {
		o[i].mu.Unlock()
	}
	return oldest
}

// takeOwn gives the goroutine's latest open of those that only its own exits end, and takes it out; nil if there is none.
func (o *opens) takeOwn(goroutine uint64) *open {
	s := o.shard(goroutine)
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.find(goroutine, true)
	if found != nil {
		s.remove(found)
	}
	return found
}

// drain takes out all that any goroutine may end, and with own the others too.
func (o *opens) drain(own bool) (list []*open) {
	for i := range o {
		s := &o[i]
		s.mu.Lock()
		for s.oldest != nil {
			list = append(list, s.oldest)
			s.remove(s.oldest)
		}
		if own {
			for _, o := range s.chains {
				for ; o != nil; o = o.below {
					list = append(list, o)
				}
			}
			s.chains, s.n, s.shadows = nil, 0, 0
		}
		s.mu.Unlock()
	}
	return list
}

// count gives the number of opens, without shadows.
func (o *opens) count() int {
	n := 0
	for i := range o {
		s := &o[i]
		s.mu.Lock()
		n += s.n - s.shadows
		s.mu.Unlock()
		n += int(s.timed.Load())
	}
	return n
}
