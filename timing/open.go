package timing

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// An open is an enter whose exit has not come yet, of a call or of info functions.
type open struct {
	goroutine uint64
	at        time.Duration
	told      *audience // the handlers of the enter, and so of the exit; nil of a shadow
	own       bool      // only its own goroutine's exits end it
	below     *open     // the open before this one in the shard's chain

	older, newer *open // in the shard, of the opens that any goroutine may end
}

// pool keeps opens that are not in use: a timer that is warm allocates nothing.
var pool = sync.Pool{New: func() any { return new(open) }}

// An opens keeps the opens of a timer in shards, by their goroutines. So goroutines that use one
// timer at the same time do not wait for each other.
type opens [shardCount]shard

type shard struct {
	mu             sync.Mutex
	chains         []*open // by goroutine, each with the latest first; their number is a power of two
	oldest, newest *open   // of the opens that any goroutine may end
	n, shadows     int
	timed          atomic.Int64 // of Timer.Time and Timer.Enter, which need no open

	_ [64]byte // no two in one cache line
}

const (
	shardBits  = 4
	shardCount = 1 << shardBits
)

// shard returns the shard for a goroutine of that id.
func (o *opens) shard(goroutine uint64) *shard { return &o[hash(goroutine)] }

// spread returns a number below shardCount for the calling goroutine of that id. Where the id is
// not known, spread uses the address of the stack, which differs between goroutines and may change.
func spread(goroutine uint64) int {
	if goroutine == 0 {
		var here byte
		goroutine = uint64(uintptr(unsafe.Pointer(&here)) >> 11)
	}
	return hash(goroutine)
}

func hash(n uint64) int { return int(n * 0x9E3779B97F4A7C15 >> (64 - shardBits)) }

// chain returns where the chain of a goroutine begins. s must have chains.
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

// find returns the latest open of a goroutine. With own it is of the opens that only the goroutine
// itself may end, else of those that any goroutine may end. The caller has the lock.
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

// shadow notes by o a call that began while the timer was off, if an earlier call of the goroutine
// began while it was on. The next exit belongs to the later call. shadow reports whether o was
// needed. The caller has the lock.
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

// take takes out the open that an exit on a goroutine ends, and returns it; nil if there is none.
//
// take prefers the goroutine's own latest open. If the goroutine has none, take chooses the oldest
// of all others. What goes from one goroutine to the next mostly leaves in the order in which it
// came. Where one thing overtakes another, durations are wrong by no more than that. Taking the
// latest would let an early open wait for ever under load. The sum of all durations is the same
// either way.
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

// takeOldest takes out the oldest open that any goroutine may end, and returns it. All shards are
// locked. Otherwise an open could come into a shard that takeOldest has looked at, while another
// exit takes the open of the next shard.
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

// takeOwn takes out the goroutine's latest open that only the goroutine itself may end, and returns
// it; nil if there is none.
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

// drain takes out all opens that any goroutine may end, and with own the others too.
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

// count returns the number of opens, without shadows.
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
