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

// look is how often news are looked for while a client waits for them. The client is sent news so
// often at most. A message takes the program and its client as long as a dozen of the calls that
// are told in it.
const look = 10 * time.Millisecond

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
	if costly, ok := task.(Costly); ok && r.Do == DoWatch && r.Watch.Budget > 0 {
		task = newBreaker(costly, r.Watch.Budget, s.now, s.host.CPU)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := task.(*breaker); ok {
		defer s.later()
	}
	own.task, own.tasks, own.ends, own.rest, own.told = task, nil, time.Time{}, nil, time.Time{}
	if own.tells = r.Do == DoWatch; own.tells && s.Ending != nil {
		s.ending.Do(func() { s.Ending(s.farewell) })
	}
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

// take takes the task away from a connection. The connection is told what is left of the task's
// news. It is told why the task has ended, unless the connection has stopped it itself. The caller
// has the lock, and closes the task when it has the lock no more: what a task waits for may want
// the lock.
func (s *session) take(why string) Task {
	task := s.task
	if task != nil {
		s.rest, s.why = task, why
	}
	s.task, s.tasks, s.ends, s.keeps = nil, nil, time.Time{}, false
	return task
}

// whyOver is News.Why of what the program has ended before the client did.
const whyOver = "its time is over, or it was reset"

// next returns the connection's news, for which it waits if there are none. It returns nil if somebody else
// has told them.
func (s *Server) next(own *session, r Request, conn io.ReadWriter) *News {
	end := s.now().Add(min(time.Duration(max(r.WaitNS, 0)), mostWait))
	// pause waits, and reports whether that was long enough or the client has something else to say.
	pause := func(d time.Duration) bool { return true }
	if c, ok := conn.(interface{ Pause(ns int64) bool }); ok {
		pause = func(d time.Duration) bool {
			d = min(d, end.Sub(s.now()))
			return d <= 0 || own.waiting(func() bool { return c.Pause(int64(d)) })
		}
	}
	over := false
	if wait := own.told.Add(look).Sub(s.now()); wait > 0 {
		over = pause(wait)
	}
	for !own.answered() {
		s.mu.Lock()
		task := own.task
		s.mu.Unlock()
		if task == nil {
			return s.last(own)
		}
		news := task.Next()
		if news.Done {
			s.stop(own)
		}
		if !news.Empty() && !news.More {
			own.told = s.now()
		}
		if !news.Empty() || over || pause(max(look, news.Quiet)) && !own.answered() {
			return &news
		}
	}
	return nil
}

// last returns what is left of the news of a task that has ended; it is Done if that is all.
func (s *Server) last(own *session) *News {
	s.mu.Lock()
	task, why := own.rest, own.why
	s.mu.Unlock()
	if task == nil {
		return &News{Done: true, Why: whyOver}
	}
	if why != "" {
		task.Close() // who has ended it may be about to close it
	}
	news := task.Next()
	if why != "" {
		news.Sampled = nil // it is not the sample that was wanted
	}
	if news.Done = !news.More; news.Done {
		s.mu.Lock()
		own.rest = nil
		s.mu.Unlock()
		if news.Why == "" {
			news.Why = why
		}
	}
	return &news
}

// stop ends a connection's task and returns the first of its last news. The client asks again until they are
// Done.
func (s *Server) stop(own *session) (*News, error) {
	s.mu.Lock()
	task := own.take("")
	rest := own.rest
	s.mu.Unlock()
	if rest == nil {
		return nil, &Error{CodeState, "the connection neither watches nor records"}
	}
	var err error
	if task != nil {
		err = task.Close()
	}
	return s.last(own), err
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
