package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
)

// Connect connects to a program. Targets are what the connection is for: lines want the program patched.
type Connect func(targets ...string) (*live.Conn, error)

// A Session looks into a program.
type Session struct {
	connect Connect
	pid     int // of the program; another one with its name is not taken for it

	mu     sync.Mutex
	conns  map[*live.Conn]bool // that are open
	closed bool

	asking sync.Mutex // of what is asked for in between
	asked  *live.Conn

	summing sync.Mutex // of what follows
	summed  *live.Conn // nil: nothing is added up
	targets []string
	sums    sums
}

// Open begins a session with the program that connect connects to.
func Open(connect Connect) (*Session, error) {
	s := &Session{connect: connect, sums: make(sums), conns: make(map[*live.Conn]bool)}
	status, err := s.Status()
	if err != nil {
		s.Close()
		return nil, err
	}
	s.pid = status.PID
	return s, nil
}

// Close ends the session and its feeds: what they have switched on is off then. It waits for no
// answer: a program that is stopped gives none.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	clear(s.conns)
}

// end closes a connection.
func (s *Session) end(c *live.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	c.Close()
}

// dial connects to the program, and to no other one that has its name or its address now.
func (s *Session) dial(targets ...string) (*live.Conn, error) {
	c, err := s.connect(targets...)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed {
		err = errors.New("the session is closed")
	}
	s.conns[c] = true
	s.mu.Unlock()
	if err != nil {
		s.end(c)
		return nil, err
	}
	if s.pid == 0 {
		return c, nil
	}
	answer, err := c.Ask(control.Request{Do: control.DoStatus})
	switch {
	case err != nil:
	case answer.Status == nil:
		err = errors.New("the program does not say what it is")
	case answer.Status.PID != s.pid:
		err = fmt.Errorf("%w: process %d is there now, and not %d", live.ErrEnded, answer.Status.PID, s.pid)
	default:
		return c, nil
	}
	s.end(c)
	return nil, err
}

// refused reports whether an error is the program's answer: the connection is good.
func refused(err error) bool { return errors.As(err, new(*control.Error)) }

// ask asks on a connection of which nothing depends.
func (s *Session) ask(r control.Request) (*control.Response, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.asked == nil {
		c, err := s.dial()
		if err != nil {
			return nil, err
		}
		s.asked = c
	}
	answer, err := s.asked.Ask(r)
	if err != nil && !refused(err) {
		s.end(s.asked)
		s.asked = nil
	}
	return answer, err
}

// Status returns what the program says of itself.
func (s *Session) Status() (*control.Status, error) {
	answer, err := s.ask(control.Request{Do: control.DoStatus})
	switch {
	case err != nil:
		return nil, err
	case answer.Status == nil:
		return nil, errors.New("the program does not say what it is")
	}
	return answer.Status, nil
}

// List returns the groups and packages of the program; with targets the functions that these name. Of
// a program that an older waymark has built it returns the names of groups, and no functions.
func (s *Session) List(targets ...string) (*control.List, error) {
	answer, err := s.ask(control.Request{Do: control.DoList, Targets: targets})
	if known := (*control.Error)(nil); errors.As(err, &known) && known.Code == control.CodeRequest {
		if len(targets) > 0 {
			return new(control.List), nil
		}
		status, err := s.Status()
		if err != nil {
			return nil, err
		}
		list := new(control.List)
		for _, name := range status.Groups {
			list.Groups = append(list.Groups, control.Listed{Name: name})
		}
		return list, nil
	}
	switch {
	case err != nil:
		return nil, err
	case answer.List == nil:
		return new(control.List), nil
	}
	return answer.List, nil
}

// Targets returns what is switched on.
func (s *Session) Targets() []string {
	s.summing.Lock()
	defer s.summing.Unlock()
	return slices.Clone(s.targets)
}

// Switch has the calls of these targets added up, and of no others. If the program refuses that, all
// stays as it was.
func (s *Session) Switch(targets []string) (*control.Change, error) {
	s.summing.Lock()
	defer s.summing.Unlock()
	if len(targets) == 0 {
		s.leave()
		s.targets = nil
		return new(control.Change), nil
	}
	next, err := s.dial()
	if err != nil {
		return nil, err
	}
	change, err := sum(next, targets)
	if err != nil {
		s.end(next)
		return nil, err
	}
	s.leave()
	s.summed, s.targets = next, slices.Clone(targets)
	return change, nil
}

// sum begins to add up calls.
func sum(c *live.Conn, targets []string) (*control.Change, error) {
	answer, err := c.Ask(control.Request{Do: control.DoWatch, Targets: targets, Watch: &control.Watch{Kind: control.KindSums, Waits: true, Budget: control.UsualBudget}})
	switch {
	case err != nil:
		return nil, err
	case answer.Change == nil:
		return new(control.Change), nil
	}
	return answer.Change, nil
}

// leave takes the last numbers of what is on, and switches it off.
func (s *Session) leave() {
	if s.summed == nil {
		return
	}
	if answer, err := s.summed.Ask(control.Request{Do: control.DoStop}); err == nil && answer.News != nil {
		s.sums.tell(answer.News.Functions)
	}
	s.end(s.summed)
	s.summed = nil
	s.sums.keep()
}

// Sums returns the numbers of the functions that are or were on, since the session began or Reset was
// called. It returns them with an error, too. If the connection is lost, the next call tries anew. ended
// says why the program has ended the counting; "" if it goes on.
func (s *Session) Sums() (list []control.Numbers, ended string, err error) {
	s.summing.Lock()
	defer s.summing.Unlock()
	switch {
	case s.summed == nil && len(s.targets) > 0:
		c, err := s.dial()
		if err == nil {
			if _, err = sum(c, s.targets); err != nil {
				s.end(c)
			}
		}
		if err != nil {
			return s.sums.list(), "", err
		}
		s.summed = c
	case s.summed == nil:
		return s.sums.list(), "", nil
	}
	answer, err := s.summed.Ask(control.Request{Do: control.DoNext})
	switch {
	case err != nil:
		s.end(s.summed)
		s.summed = nil
		s.sums.keep()
	case answer.News != nil:
		s.sums.tell(answer.News.Functions)
		if answer.News.Done {
			s.end(s.summed)
			s.summed, s.targets, ended = nil, nil, answer.News.Why
			s.sums.keep()
		}
	}
	return s.sums.list(), ended, err
}

// Reset forgets the numbers. What is on stays on.
func (s *Session) Reset() error {
	s.summing.Lock()
	s.sums = make(sums)
	targets := slices.Clone(s.targets)
	s.summing.Unlock()
	if len(targets) == 0 {
		return nil
	}
	_, err := s.Switch(targets)
	s.summing.Lock()
	s.sums = make(sums) // the last ones of before
	s.summing.Unlock()
	return err
}
