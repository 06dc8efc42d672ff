package otlp

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/trace"
)

// A fate is what became of a trace: of one whose spans went different ways, the last of these.
type fate uint8

const (
	sent fate = iota
	unsampled
	refused
	tooLarge
	givenUp
	closed
)

// counter returns the number of traces with a fate.
func (c *Counts) counter(f fate) *uint64 {
	return [...]*uint64{sent: &c.Sent, unsampled: &c.Unsampled, refused: &c.Refused, tooLarge: &c.TooLarge, givenUp: &c.GivenUp, closed: &c.Closed}[f]
}

// A shipment is a trace on its way.
type shipment struct {
	left int // spans that have no fate yet
	fate fate
}

// A batch is the spans of a request, with the traces that they are of.
type batch struct {
	list []spans.Span
	of   []*shipment
	size int // bytes, about
}

// takes reports whether a span fits into the batch.
func (b *batch) takes(s *spans.Span) bool {
	return len(b.list) == 0 || len(b.list) < spans.MaxSpans && b.size+s.Size() <= spans.MaxBytes
}

// run sends traces until the sink is closed.
func (s *Sink) run() {
	defer close(s.ended)
	for {
		select {
		case <-s.ctx.Done():
			s.settle()
			return
		case <-s.added:
			s.gather()
		case <-s.urgent:
		}
		s.drain()
	}
}

// gather waits for more traces, to be sent together.
func (s *Sink) gather() {
	s.wait(s.options.Delay, s.urgent, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.spans >= spans.MaxSpans
	})
}

// wait waits for d, or until it is enough, somebody is in a hurry, or the sink ends.
func (s *Sink) wait(d time.Duration, hurry <-chan struct{}, enough func() bool) {
	for end := time.Now().Add(d); ; {
		rings := s.bell.Rings()
		if enough() {
			return
		}
		select {
		case <-hurry:
			return
		case <-s.ctx.Done():
			return
		default:
		}
		if s.bell.Wait(rings, time.Until(end)) {
			return
		}
	}
}

// drain sends all traces that wait.
func (s *Sink) drain() {
	var b batch
	for s.ctx.Err() == nil {
		t, ok := s.next()
		if !ok {
			break
		}
		list, ok := s.spansOf(t)
		if !ok {
			s.count(unsampled)
			continue
		}
		one := &shipment{left: len(list)}
		for i := range list {
			if !b.takes(&list[i]) {
				s.send(b)
				b = batch{}
			}
			b.list, b.of, b.size = append(b.list, list[i]), append(b.of, one), b.size+list[i].Size()
		}
	}
	s.send(b)
}

// next takes the oldest trace off the queue, false if there is none.
func (s *Sink) next() (t *trace.Trace, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue = nil // with its memory
		return nil, false
	}
	t = s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.bytes -= t.Size()
	s.spans -= s.estimate(t)
	return t, true
}

// settle counts what waits in the end.
func (s *Sink) settle() {
	for {
		if _, ok := s.next(); !ok {
			return
		}
		s.count(closed)
	}
}

// count counts a trace that waits no more.
func (s *Sink) count(f fate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Queued--
	s.done++
	*s.counts.counter(f)++
	close(s.changed)
	s.changed = make(chan struct{})
}

// end notes what became of a batch.
func (s *Sink) end(b batch, f fate) {
	for _, one := range b.of {
		one.fate = max(one.fate, f)
		if one.left--; one.left == 0 {
			s.count(one.fate)
		}
	}
}

// send sends a batch until the collector takes or refuses it, or time is over. If it is too large it
// goes in halves.
func (s *Sink) send(b batch) {
	if len(b.list) == 0 {
		return
	}
	body, _ := s.client.Encode(spans.Of(b.list))
	limit := time.Now().Add(s.options.Retry)
	for pause := (spans.Backoff{Pause: s.pause}); ; {
		err := s.client.Post(s.ctx, body)
		var some *spans.Rejection
		var no *spans.Refusal
		switch {
		case errors.As(err, &some):
			s.noteRejected(some)
			err = nil
		case errors.As(err, &no) && no.TooLarge && len(b.list) > 1:
			half := len(b.list) / 2
			s.send(batch{list: b.list[:half], of: b.of[:half]})
			s.send(batch{list: b.list[half:], of: b.of[half:]})
			return
		}
		if s.ctx.Err() != nil && err != nil {
			s.end(b, closed)
			return
		}
		before := s.failed
		s.note(err)
		if err == nil {
			s.countSpans(uint64(len(b.list)), some)
			s.end(b, sent)
			return
		}
		wait, again := pause.Next(err)
		switch {
		case no != nil && no.TooLarge:
			s.end(b, tooLarge)
			return
		case !again:
			s.end(b, refused)
			return
		case no == nil && before && s.ends(): // it is not there
			s.stop()
			s.end(b, closed)
			return
		case time.Now().Add(wait).After(limit):
			s.end(b, givenUp)
			return
		}
		s.sleep(wait, no != nil && no.After > 0)
		s.mu.Lock()
		s.counts.Retries++
		s.mu.Unlock()
	}
}

// ends reports whether the program ends.
func (s *Sink) ends() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

// sleep waits before the next attempt. Who is in a hurry cuts that short, unless the collector has said
// how long to wait.
func (s *Sink) sleep(d time.Duration, said bool) {
	urgent := s.urgent
	if said {
		urgent = nil
	}
	s.wait(d, urgent, func() bool { return false })
}

// countSpans counts the spans of a request that the collector took, but for some of them.
func (s *Sink) countSpans(n uint64, some *spans.Rejection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if some != nil {
		rejected := min(some.Spans, n)
		s.counts.Rejected += rejected
		n -= rejected
	}
	s.counts.Spans += n
}

// noteRejected logs the first partial success.
func (s *Sink) noteRejected(some *spans.Rejection) {
	if !s.cut {
		s.cut = true
		s.log(true, fmt.Sprintf("otlp: %s: %v", s.client.URL, some))
	}
}

// note notes how an attempt has ended. The first failure is logged, and the first success after it.
func (s *Sink) note(err error) {
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	failed := err != nil
	if failed == s.failed {
		return
	}
	s.failed = failed
	if failed {
		s.log(true, fmt.Sprintf("otlp: %s: %v%s", s.client.URL, err, s.client.Hint("")))
	} else {
		s.log(false, fmt.Sprintf("otlp: %s takes traces again", s.client.URL))
	}
}

// spansOf returns the spans of a trace, false if its parent is not sampled.
func (s *Sink) spansOf(t *trace.Trace) (list []spans.Span, sampled bool) {
	p := t.Within
	if s.options.Parent != nil {
		func() {
			defer func() {
				if v := recover(); v != nil {
					s.log(true, fmt.Sprintf("otlp: Parent panicked, and is not called any more: %v", v))
					s.options.Parent = nil
				}
			}()
			p = s.options.Parent(t)
		}()
	}
	if p.TraceID != [16]byte{} && !p.Sampled {
		return nil, false
	}
	return s.spanner.spans(t, s.root(t), p), true
}
