package control

import (
	"slices"
	"time"
)

// reset switches off all that commands have switched on, ends what they watch and record, and forgets
// the calls that were kept.
func (s *Server) reset(r Request, peer string) *Change {
	begin := s.now()
	var tasks []Task
	s.mu.Lock()
	for _, one := range s.sessions {
		r.Targets = append(r.Targets, targets(one.on)...)
		one.become(session{}) // fewer wishes are never refused
		if task := one.take(whyOver); task != nil {
			tasks = append(tasks, task)
		}
	}
	s.forget = time.Time{}
	s.mu.Unlock()
	for _, task := range tasks {
		task.Close()
	}
	s.host.Forget()
	s.host.Unsee()
	var c Change
	if len(r.Targets) > 0 {
		c, _ = s.host.Find(r.Targets) // they were found when they were switched on
	}
	c.TookNS = int64(s.now().Sub(begin))
	s.host.Audit(r, c, peer)
	return &c
}

// Expire switches off what has been on for its time, or costs too much, and returns how long it is until there is more
// to switch off. A negative result says that nothing has such a time.
func (s *Server) Expire() (left time.Duration) {
	s.mu.Lock()
	now := s.now()
	tasks, left := s.overdue(now)
	for _, one := range s.sessions {
		over := func(i int) bool { return !one.until[i].IsZero() && !one.until[i].After(now) }
		if next := one.without(over); len(next.on) < len(one.on) {
			one.become(next) // fewer wishes are never refused
		}
		for _, t := range one.until {
			if d := t.Sub(now); !t.IsZero() && (left < 0 || d < left) {
				left = d
			}
		}
	}
	forget := s.outdated(now)
	if d := s.forget.Sub(now); !s.forget.IsZero() && (left < 0 || d < left) {
		left = d
	}
	var breakers []*breaker
	for _, one := range s.sessions {
		if b, ok := one.task.(*breaker); ok {
			breakers = append(breakers, b)
		}
	}
	s.expiring = left >= 0 || len(breakers) > 0
	s.mu.Unlock()
	for _, b := range breakers {
		if d := b.step(); left < 0 || d < left {
			left = d
		}
	}
	for _, task := range tasks {
		task.Close()
	}
	if forget {
		s.host.Forget()
	}
	return left
}

// outdated reports whether the calls that were kept are to be forgotten. The caller has the lock.
func (s *Server) outdated(now time.Time) bool {
	switch {
	case s.forget.IsZero():
		return false
	case slices.ContainsFunc(s.sessions, func(one *session) bool { return one.keeps }):
		s.forget = now.Add(keepFor)
	case !s.forget.After(now):
		s.forget = time.Time{}
		return true
	}
	return false
}

// later sees to it that Expire is called. The caller has the lock.
func (s *Server) later() {
	if s.Later != nil && !s.expiring {
		s.expiring = true
		s.Later()
	}
}

// overdue takes the tasks away whose time is over, and returns the time until the next one; negative:
// none has a time. The caller has the lock, and closes the tasks when it has it no more.
func (s *Server) overdue(now time.Time) (tasks []Task, left time.Duration) {
	left = -1
	for _, one := range s.sessions {
		switch d := one.ends.Sub(now); {
		case one.ends.IsZero():
		case d <= 0:
			tasks = append(tasks, one.take(whyOver))
		case left < 0 || d < left:
			left = d
		}
	}
	return slices.DeleteFunc(tasks, func(t Task) bool { return t == nil }), left
}
