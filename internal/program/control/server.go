package control

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// mostOn is how many targets commands may have on at a time.
const mostOn = 1000

// mostTargets is how long the targets of a request are together, bytes: they become regular expressions.
const mostTargets = 64 << 10

// Monitors are the values of Request.Monitor; the first is what an empty one means.
var Monitors = []string{"stats", "record", "print"}

// A Host is the program.
type Host interface {
	// Status describes the program; On is the server's.
	Status() Status
	// Join makes an owner without wishes.
	Join() Owner
	// Find returns what the targets name. It is an *Error if one names nothing.
	Find(targets []string) (Change, error)
	// Watch begins to watch calls.
	Watch(targets []string, w Watch) (Task, Change, error)
	// Record begins a recording of what the request's targets name; of all functions if there are none.
	Record(r Request) (Task, Change, error)
	// Dump writes the window of the flight recorder, and returns the path of the file.
	Dump() (path string, err error)
	// See begins to note first calls of functions in a file, if they aren't noted already. The change has
	// the file's path.
	See(path string) (Change, error)
	// Unsee undoes See.
	Unsee()
	// Calls returns calls that watches with Keep have kept.
	Calls(q Query) (*Kept, error)
	// List returns the groups and packages there are, or the functions that targets name. It is an
	// *Error if a target names nothing.
	List(targets []string) (*List, error)
	// Forget drops the calls that watches with Keep have kept.
	Forget()
	// Resume lets the program go on, which was suspended before its first init function.
	Resume() error
	// CPU returns the CPU time that the program has taken.
	CPU() time.Duration
	// Audit tells the program that a request has changed something.
	Audit(r Request, c Change, peer string)
}

// An Owner has functions switched on.
type Owner interface {
	// Set has these on and nothing else. It is an *Error if that isn't allowed; then nothing has
	// changed.
	Set(on []On) error
}

// A Server answers requests.
type Server struct {
	host Host
	now  func() time.Time

	// Later, if there is one, is called when there is something to expire: it is to call Expire
	// until nothing has such a time.
	Later func()

	// Ending, if there is one, has a function called when the program ends. It is called with the first watch.
	Ending func(func())

	ending   sync.Once
	mu       sync.Mutex
	sessions []*session
	kept     *session  // what stays when connections end
	expiring bool      // Later was called
	forget   time.Time // when the host is to forget the calls that were kept; zero: nothing was
}

// A session has what one connection switched on.
type session struct {
	owner Owner
	on    []On
	until []time.Time // when they go, by index of on; zero: no such time

	task  Task      // what it watches or records; nil: nothing
	keeps bool      // the task keeps calls
	tasks []On      // the same, for the status
	ends  time.Time // when the task ends; zero: no such time
	tells bool      // the task is a watch
	rest  Task      // one that has ended, and has news that were not told; nil: none
	why   string    // it has ended, unless the client knows
	told  time.Time // when news were sent that were all there was

	*turn // nil: it has no connection
}

// NewServer makes a server for a program.
func NewServer(h Host) *Server {
	s := &Server{host: h, now: time.Now, kept: &session{owner: h.Join()}}
	s.sessions = []*session{s.kept}
	return s
}

// Serve answers the requests of a connection until it ends, and then switches off what these have
// switched on. A connection may have methods: Between is called when a message is complete, and Pause
// waits, and reports whether there is something to read. peer says for the audit who it is. Errors are
// of the connection; io.EOF is none.
func (s *Server) Serve(conn io.ReadWriter, peer string) error {
	s.mu.Lock()
	own := &session{owner: s.host.Join(), turn: &turn{conn: conn}}
	s.sessions = append(s.sessions, own)
	s.mu.Unlock()
	defer s.leave(own, peer)
	for {
		var r Request
		if c, ok := conn.(interface{ Between() }); ok {
			c.Between()
		}
		err := Read(conn, &r)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, ErrGarbage):
			return errors.Join(err, Write(conn, Response{Version: Version, Error: &Error{CodeRequest, err.Error()}}))
		case err != nil:
			return err
		}
		answer := s.answer(own, r, conn, peer)
		if own.answered() {
			return nil // the program ends
		}
		if err := Write(conn, answer); err != nil {
			return err
		}
	}
}

// leave undoes what a session has done.
func (s *Server) leave(own *session, peer string) {
	s.mu.Lock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == own })
	off := targets(append(own.on, own.tasks...))
	if len(own.on) > 0 {
		own.owner.Set(nil)
	}
	task := own.take("")
	s.mu.Unlock()
	if task != nil {
		task.Close()
	}
	if len(off) > 0 {
		s.host.Audit(Request{Do: DoOff, Targets: off}, Change{}, peer)
	}
}

func targets(on []On) (list []string) {
	for _, o := range on {
		list = append(list, o.Target)
	}
	return list
}

// length returns the length of targets, bytes.
func length(targets []string) (n int) {
	for _, t := range targets {
		n += len(t)
	}
	return n
}

func (s *Server) answer(own *session, r Request, conn io.ReadWriter, peer string) Response {
	response := Response{Version: Version}
	var err error
	switch {
	case r.Version != Version:
		err = &Error{CodeVersion, fmt.Sprintf("the program speaks version %d of the protocol, the command version %d", Version, r.Version)}
	case length(r.Targets)+length(r.probes()) > mostTargets:
		err = &Error{CodeRequest, fmt.Sprintf("the targets have more than %d bytes", mostTargets)}
	case r.Do == DoStatus:
		response.Status = s.status()
	case r.Do == DoOn, r.Do == DoOff:
		response.Change, err = s.change(own, r, peer)
	case r.Do == DoReset:
		response.Change = s.reset(r, peer)
	case r.Do == DoWatch, r.Do == DoRecord:
		response.Change, err = s.begin(own, r, peer)
	case r.Do == DoNext:
		response.News = s.next(own, r, conn)
	case r.Do == DoStop:
		if response.News, err = s.stop(own); err == nil {
			s.host.Audit(r, Change{}, peer)
		}
	case r.Do == DoCalls:
		var q Query
		if r.Calls != nil {
			q = *r.Calls
		}
		response.Calls, err = s.host.Calls(q)
	case r.Do == DoList:
		response.List, err = s.host.List(r.Targets)
	case r.Do == DoDump:
		response.Change, err = s.dump(r, peer)
	case r.Do == DoSeen:
		response.Change, err = s.see(r, peer)
	case r.Do == DoResume:
		if err = s.host.Resume(); err == nil {
			s.host.Audit(r, Change{}, peer)
		}
	default:
		err = &Error{CodeRequest, fmt.Sprintf("unknown request %q", r.Do)}
	}
	if err != nil {
		var known *Error
		if !errors.As(err, &known) {
			known = &Error{CodeState, err.Error()}
		}
		response = Response{Version: Version, Error: known}
		if lack := (*TargetError)(nil); errors.As(err, &lack) {
			response.Lacking = lack.Lacking
		}
	}
	return response
}

func (s *Server) status() *Status {
	status := s.host.Status()
	s.mu.Lock()
	defer s.mu.Unlock()
	status.On = []On{}
	now := s.now()
	for _, one := range s.sessions {
		for i, o := range one.on {
			if !one.until[i].IsZero() {
				o.LeftNS = max(int64(one.until[i].Sub(now)), 1)
			}
			status.On = append(status.On, o)
		}
		for _, o := range one.tasks {
			if !one.ends.IsZero() {
				o.LeftNS = max(int64(one.ends.Sub(now)), 1)
			}
			status.On = append(status.On, o)
		}
	}
	return &status
}

func (s *Server) change(own *session, r Request, peer string) (*Change, error) {
	begin := s.now()
	if r.Monitor == "" {
		r.Monitor = Monitors[0]
	}
	switch {
	case len(r.Targets) == 0:
		return nil, &Error{CodeRequest, "no target: want patterns, or groups as @NAME"}
	case !slices.Contains(Monitors, r.Monitor):
		return nil, &Error{CodeRequest, fmt.Sprintf("unknown monitor %q", r.Monitor)}
	case r.ForNS < 0:
		return nil, &Error{CodeRequest, "a time below 0"}
	}
	c, err := s.host.Find(r.Targets)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Do == DoOn {
		err = s.on(own, r)
	} else {
		err = s.off(own, r)
	}
	if err != nil {
		return nil, err
	}
	c.TookNS = int64(s.now().Sub(begin))
	s.host.Audit(r, c, peer)
	return &c, nil
}

// on switches targets on for the connection, or for good.
func (s *Server) on(own *session, r Request) error {
	total := len(r.Targets)
	for _, one := range s.sessions {
		total += len(one.on)
	}
	if total > mostOn {
		return &Error{CodeState, fmt.Sprintf("commands would have %d targets on: want at most %d", total, mostOn)}
	}
	to := own
	if r.Keep {
		to = s.kept
	}
	next := session{on: slices.Clone(to.on), until: slices.Clone(to.until)}
	for _, target := range r.Targets {
		o := On{Target: target, Monitor: r.Monitor, Kept: r.Keep}
		at := slices.Index(next.on, o)
		if at < 0 {
			at = len(next.on)
			next.on, next.until = append(next.on, o), append(next.until, time.Time{})
		}
		next.until[at] = time.Time{}
		if r.ForNS > 0 {
			next.until[at] = s.now().Add(time.Duration(r.ForNS))
		}
	}
	err := to.become(next)
	if err == nil && r.ForNS > 0 {
		s.later()
	}
	return err
}

// off switches off what the connection has on of the targets, and what was kept of them. Other
// connections aren't disturbed.
func (s *Server) off(own *session, r Request) error {
	found := false
	for _, one := range []*session{own, s.kept} {
		next := one.without(func(i int) bool { return slices.Contains(r.Targets, one.on[i].Target) })
		if len(next.on) == len(one.on) {
			continue
		}
		found = true
		if err := one.become(next); err != nil {
			return err
		}
	}
	if !found {
		return &Error{CodeState, "no command keeps it on: off takes the targets that on --stay had, as status shows them"}
	}
	return nil
}

// without returns what is left without the targets of those indexes.
func (s *session) without(gone func(i int) bool) (next session) {
	for i, o := range s.on {
		if !gone(i) {
			next.on, next.until = append(next.on, o), append(next.until, s.until[i])
		}
	}
	return next
}

// become has the owner want what next has.
func (s *session) become(next session) error {
	if err := s.owner.Set(next.on); err != nil {
		return err
	}
	s.on, s.until = next.on, next.until
	return nil
}
