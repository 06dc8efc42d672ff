package control

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A Task is a watch or a recording of a connection. A connection has one at a time.
type Task interface {
	// Next returns what has happened. Only the connection's goroutine calls it.
	Next() News
	// Close ends the task. It may be called again, and beside Next.
	Close() error
}

// look is how often news are looked for while a client waits for the first ones.
const look = 10 * time.Millisecond

// gather is how often they are then: a message takes the program and its client as long as a dozen calls
// that are told in it.
const gather = 50 * time.Millisecond

// mostWait is how long a client may wait for news.
const mostWait = time.Minute

// keepFor is how long calls are kept when nobody watches with Keep any more.
const keepFor = time.Hour

// begin begins a task for a connection.
func (s *Server) begin(own *session, r Request, peer string) (*Change, error) {
	start := s.now()
	s.mu.Lock()
	busy := own.task != nil
	s.mu.Unlock()
	switch {
	case busy:
		return nil, &Error{CodeState, "the connection watches or records already"}
	case r.ForNS < 0:
		return nil, &Error{CodeRequest, "a time below 0"}
	}
	on := On{Monitor: r.Do, Target: "all functions"}
	var task Task
	var c Change
	var err error
	switch r.Do {
	case DoRecord:
		task, c, err = s.host.Record(r)
	case DoWatch:
		if r.Watch == nil {
			return nil, &Error{CodeRequest, "nothing is said about what to watch"}
		}
		on.Monitor = r.Watch.Kind
		task, c, err = s.host.Watch(r.Targets, *r.Watch)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own.task, own.tasks, own.ends, own.told = task, nil, time.Time{}, time.Time{}
	for _, on.Target = range append(slices.Clip(r.Targets), r.probes()...) {
		own.tasks = append(own.tasks, on)
	}
	if len(own.tasks) == 0 {
		own.tasks = []On{on}
	}
	if r.ForNS > 0 {
		own.ends = s.now().Add(time.Duration(r.ForNS))
		s.later()
	}
	if own.keeps = r.Do == DoWatch && r.Watch.Keep; own.keeps {
		s.forget = s.now().Add(keepFor)
		s.later()
	}
	c.TookNS = int64(s.now().Sub(start))
	s.host.Audit(r, c, peer)
	return &c, nil
}

// take takes the task away from a connection. The caller has the lock, and closes the task when it
// has the lock no more: what a task waits for may want the lock.
func (s *session) take() Task {
	task := s.task
	s.task, s.tasks, s.ends, s.keeps = nil, nil, time.Time{}, false
	return task
}

// next returns the connection's news, for which it waits if there are none. Once some were told, more are
// gathered before the next.
func (s *Server) next(own *session, r Request, conn io.ReadWriter) *News {
	end := s.now().Add(min(time.Duration(max(r.WaitNS, 0)), mostWait))
	pause := func(d time.Duration) bool { return true }
	if c, ok := conn.(interface{ Pause(ns int64) bool }); ok {
		pause = func(d time.Duration) bool { return d <= 0 || c.Pause(int64(d)) }
	}
	every, over := look, false // over: the client has waited long enough, or says something else
	if !own.told.IsZero() {
		every = gather
		if wait := own.told.Add(gather).Sub(s.now()); wait > 0 {
			over = pause(min(wait, end.Sub(s.now())))
		}
	}
	for {
		s.mu.Lock()
		task := own.task
		s.mu.Unlock()
		if task == nil {
			return &News{Done: true, Why: "its time is over, or it was reset"}
		}
		news := task.Next()
		if news.Done {
			s.stop(own)
		}
		if !news.Empty() {
			own.told = s.now()
			if news.More {
				own.told = own.told.Add(-gather)
			}
		}
		if over || !news.Empty() || pause(min(end.Sub(s.now()), every)) {
			return &news
		}
	}
}

// stop ends a connection's task and returns its last news.
func (s *Server) stop(own *session) (*News, error) {
	s.mu.Lock()
	task := own.take()
	s.mu.Unlock()
	if task == nil {
		return nil, &Error{CodeState, "the connection neither watches nor records"}
	}
	err := task.Close()
	news := task.Next()
	news.Done = true
	return &news, err
}

// dump writes the window of the flight recorder.
func (s *Server) dump(r Request, peer string) (*Change, error) {
	start := s.now()
	path, err := s.host.Dump()
	if err != nil {
		return nil, &Error{CodeState, fmt.Sprintf("dump: %v", err)}
	}
	c := Change{Path: path, TookNS: int64(s.now().Sub(start))}
	s.host.Audit(r, c, peer)
	return &c, nil
}

// see begins to note first calls, for good: they cost nothing.
func (s *Server) see(r Request, peer string) (*Change, error) {
	start := s.now()
	c, err := s.host.See(r.Path)
	if err != nil {
		return nil, err
	}
	c.TookNS = int64(s.now().Sub(start))
	s.host.Audit(r, c, peer)
	return &c, nil
}
