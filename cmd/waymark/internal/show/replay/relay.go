package replay

import "github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"

// A relay passes calls on to functions that another goroutine calls, in the same order. So
// following calls and printing them use a core each.
type relay struct {
	batch *batch // not handed on yet
	full  chan *batch
	empty chan *batch
	done  chan struct{}
}

// A batch is some calls with what they point to.
type batch struct {
	calls []relayed
	data  []byte
}

type relayed struct {
	calltree.Call
	tell func(*calltree.Call)
}

const (
	batches  = 4
	perBatch = 512 // calls
)

func newRelay() *relay {
	r := &relay{full: make(chan *batch, batches), empty: make(chan *batch, batches), done: make(chan struct{})}
	for range batches {
		r.empty <- &batch{data: make([]byte, 0, 4096)} // recorded values are not nil, even if empty
	}
	r.batch = <-r.empty
	go r.run()
	return r
}

// to returns a function that has tell called with a copy of the call.
func (r *relay) to(tell func(*calltree.Call)) func(*calltree.Call) {
	return func(c *calltree.Call) {
		b := r.batch
		b.calls = append(b.calls, relayed{*c, tell})
		last := &b.calls[len(b.calls)-1]
		last.Args, last.Results, last.Panic = b.keep(c.Args), b.keep(c.Results), b.keep(c.Panic)
		if len(b.calls) == perBatch {
			r.full <- b
			r.batch = <-r.empty
		}
	}
}

// keep copies what is used again after the call.
func (b *batch) keep(data []byte) []byte {
	if data == nil {
		return nil
	}
	n := len(b.data)
	b.data = append(b.data, data...)
	return b.data[n:len(b.data):len(b.data)]
}

func (r *relay) run() {
	for b := range r.full {
		for i := range b.calls {
			b.calls[i].tell(&b.calls[i].Call)
		}
		b.calls, b.data = b.calls[:0], b.data[:0]
		r.empty <- b
	}
	close(r.done)
}

// close hands on what is left, and returns when all functions have been called.
func (r *relay) close() {
	r.full <- r.batch
	close(r.full)
	<-r.done
}
