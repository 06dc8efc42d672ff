package control

import (
	"io"
	"slices"
	"sync/atomic"
	"time"
)

// A turn says whose it is to answer the client of a connection.
type turn struct {
	whose atomic.Int32
	conn  io.ReadWriter
}

const (
	turnOwn      = iota // the connection's goroutine's, which is not waiting
	turnOpen            // the first one's that takes it
	turnAnswered        // nobody's any more: the program ends
)

// waiting calls wait. Meanwhile others may answer the client.
func (t *turn) waiting(wait func() bool) bool {
	if !t.whose.CompareAndSwap(turnOwn, turnOpen) {
		return true
	}
	over := wait()
	return !t.whose.CompareAndSwap(turnOpen, turnOwn) || over
}

// answered reports whether others have answered the client, for the last time.
func (t *turn) answered() bool { return t.whose.Load() == turnAnswered }

// The end of the program waits so long for all clients that don't wait for news just now. They are
// told other news, and ask for more at once.
const (
	parting = 100 * time.Millisecond
	step    = time.Millisecond
)

// farewell tells clients that wait for calls the last ones: those just before the end are what they want to see
// most.
func (s *Server) farewell() {
	type leaving interface {
		Last([]byte)
		Rest(ns int64)
	}
	for end := time.Now().Add(parting); ; {
		s.mu.Lock()
		sessions := slices.Clone(s.sessions)
		s.mu.Unlock()
		var busy leaving
		for _, one := range sessions {
			if s.told(one) == nil || one.answered() {
				continue
			}
			c, ok := one.conn.(leaving)
			if !ok {
				continue
			}
			if !one.whose.CompareAndSwap(turnOpen, turnAnswered) {
				busy = c
			} else if task := s.told(one); task != nil {
				c.Last(lastOf(task))
			}
		}
		if busy == nil || time.Now().After(end) {
			return
		}
		busy.Rest(int64(step))
	}
}

// told returns the task of a connection that is told calls; nil if there is none.
func (s *Server) told(one *session) Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !one.tells {
		return nil
	}
	return one.task
}

// lastOf returns a response with all news of a task, or as many as there is room for.
func lastOf(task Task) []byte {
	first := task.Next()
	all := first
	for all.More {
		more := task.Next()
		more.Calls = append(all.Calls, more.Calls...)
		all = more
	}
	for _, news := range []*News{&all, &first} {
		news.Done, news.Why = true, WhyEnded
		if b, err := encode(Response{Version: Version, News: news}); err == nil {
			return b
		}
	}
	return nil
}
