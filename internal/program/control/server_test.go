package control

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A program is a host whose functions are named f, g and so on.
type program struct {
	owners []*owner
	audits []string
	tasks  []*task
	forgot int
	seen   string
	cpu    time.Duration
}

// A task tells news once.
type task struct {
	news   chan News
	closed atomic.Int32
}

func (t *task) Next() News {
	select {
	case n := <-t.news:
		return n
	default:
		return News{}
	}
}

func (t *task) Close() error { t.closed.Add(1); return nil }

func (p *program) begin() Task {
	t := &task{news: make(chan News, 9)}
	p.tasks = append(p.tasks, t)
	return t
}

func (p *program) Watch(targets []string, _ Watch) (Task, Change, error) {
	c, err := p.Find(targets)
	if err != nil {
		return nil, c, err
	}
	return p.begin(), c, nil
}

func (p *program) Record(r Request) (Task, Change, error) {
	return p.begin(), Change{Path: r.Path}, nil
}

func (p *program) Calls(q Query) (*Kept, error) { return &Kept{After: q.After + 1}, nil }
func (p *program) See(path string) (Change, error) {
	p.seen = path
	return Change{Functions: 3, Path: path}, nil
}
func (p *program) List(targets []string) (*List, error) {
	if _, err := p.Find(targets); err != nil {
		return nil, err
	}
	return &List{Functions: targets}, nil
}
func (p *program) Unsee()                { p.seen = "" }
func (p *program) Forget()               { p.forgot++ }
func (p *program) Dump() (string, error) { return "", errors.New("no window") }

func (p *program) Resume() error { return errors.New("it isn't suspended") }

type owner struct{ on []On }

func (o *owner) Set(on []On) error {
	for _, one := range on {
		if one.Target == "secret" {
			return &Error{CodeForbidden, "the program forbids it"}
		}
	}
	o.on = slices.Clone(on)
	return nil
}

func (p *program) Status() Status { return Status{PID: 7, Functions: 3} }
func (p *program) Join() Owner {
	o := new(owner)
	p.owners = append(p.owners, o)
	return o
}
func (p *program) Find(targets []string) (Change, error) {
	if slices.Contains(targets, "none") {
		return Change{}, &Error{CodeTarget, "none names no function"}
	}
	return Change{Functions: len(targets), Packages: 1}, nil
}
func (p *program) CPU() time.Duration { return p.cpu }

func (p *program) Audit(r Request, _ Change, _ string) { p.audits = append(p.audits, r.Do) }

// A client is the other end of a connection that a server serves.
type client struct {
	t    *testing.T
	conn net.Conn
	done chan error
}

func dial(t *testing.T, s *Server) *client {
	a, b := net.Pipe()
	c := &client{t, a, make(chan error, 1)}
	go func() {
		err := s.Serve(b, "test")
		b.Close()
		c.done <- err
	}()
	a.SetDeadline(time.Now().Add(10 * time.Second))
	t.Cleanup(func() { a.Close() })
	return c
}

func (c *client) ask(r Request) (answer Response) {
	c.t.Helper()
	if r.Version == 0 {
		r.Version = Version
	}
	if err := Write(c.conn, r); err != nil {
		c.t.Fatal(err)
	}
	if err := Read(c.conn, &answer); err != nil {
		c.t.Fatal(err)
	}
	return answer
}

// end closes the connection and waits until the server has left it.
func (c *client) end() error {
	c.conn.Close()
	return <-c.done
}

func names(on []On) (list []string) { return targets(on) }

func TestEndSwitchesOff(t *testing.T) {
	s := NewServer(new(program))
	one, other := dial(t, s), dial(t, s)
	one.ask(Request{Do: DoOn, Targets: []string{"f"}})
	one.ask(Request{Do: DoOn, Targets: []string{"g"}, Keep: true})
	if c := other.ask(Request{Do: DoOn, Targets: []string{"f", "h"}}).Change; c == nil || c.Functions != 2 {
		t.Fatalf("change %+v, want 2 functions", c)
	}
	if err := one.end(); err != nil {
		t.Errorf("end of a connection: %v", err)
	}
	on := names(other.ask(Request{Do: DoStatus}).Status.On)
	if want := []string{"g", "f", "h"}; !slices.Equal(on, want) {
		t.Errorf("on after the first client has gone: %v, want %v", on, want)
	}
	other.ask(Request{Do: DoOff, Targets: []string{"g", "h"}})
	on = names(other.ask(Request{Do: DoStatus}).Status.On)
	if want := []string{"f"}; !slices.Equal(on, want) {
		t.Errorf("on after off: %v, want %v", on, want)
	}
}

func TestList(t *testing.T) {
	c := dial(t, NewServer(new(program)))
	if got := c.ask(Request{Do: DoList, Targets: []string{"f"}}).List; got == nil || !slices.Equal(got.Functions, []string{"f"}) {
		t.Errorf("list %+v, want function f", got)
	}
	if err := c.ask(Request{Do: DoList, Targets: []string{"none"}}).Error; err == nil || err.Code != CodeTarget {
		t.Errorf("list of none: error %+v, want one with code %s", err, CodeTarget)
	}
}

func TestRefusals(t *testing.T) {
	s := NewServer(new(program))
	c := dial(t, s)
	for _, test := range []struct {
		Request
		code string
	}{
		{Request{Version: Version + 1, Do: DoStatus}, CodeVersion},
		{Request{Do: "dance"}, CodeRequest},
		{Request{Do: DoOn}, CodeRequest},
		{Request{Do: DoOn, Targets: []string{strings.Repeat("f", mostTargets), "f"}}, CodeRequest},
		{Request{Do: DoOn, Targets: []string{"f"}, Monitor: "x"}, CodeRequest},
		{Request{Do: DoOn, Targets: []string{"f"}, ForNS: -1}, CodeRequest},
		{Request{Do: DoOn, Targets: []string{"f", "none"}}, CodeTarget},
		{Request{Do: DoOn, Targets: []string{"f", "secret"}}, CodeForbidden},
		{Request{Do: DoOn, Targets: make([]string, mostOn+1)}, CodeState},
		{Request{Do: DoOff, Targets: []string{"f"}}, CodeState},
		{Request{Do: DoWatch, Targets: []string{"f"}}, CodeRequest},
		{Request{Do: DoWatch, Targets: []string{"none"}, Watch: &Watch{}}, CodeTarget},
		{Request{Do: DoRecord, ForNS: -1}, CodeRequest},
		{Request{Do: DoStop}, CodeState},
		{Request{Do: DoDump}, CodeState},
		{Request{Do: DoResume}, CodeState},
	} {
		if err := c.ask(test.Request).Error; err == nil || err.Code != test.code {
			t.Errorf("%+v: error %v, want code %s", test.Request.Do, err, test.code)
		}
	}
	if on := c.ask(Request{Do: DoStatus}).Status.On; len(on) > 0 {
		t.Errorf("refused requests have switched on %v", on)
	}
}

func TestExpire(t *testing.T) {
	s := NewServer(new(program))
	now := time.Unix(1e9, 0)
	s.now = func() time.Time { return now }
	if left := s.Expire(); left >= 0 {
		t.Errorf("nothing is on, and goes in %v", left)
	}
	c := dial(t, s)
	c.ask(Request{Do: DoOn, Targets: []string{"f"}, Keep: true, ForNS: 1e9})
	c.ask(Request{Do: DoOn, Targets: []string{"g"}, Keep: true, ForNS: 3e9})
	now = now.Add(time.Second)
	if left := s.Expire(); left != 2*time.Second {
		t.Errorf("the rest goes in %v, want 2s", left)
	}
	if on := names(c.ask(Request{Do: DoStatus}).Status.On); !slices.Equal(on, []string{"g"}) {
		t.Errorf("on after a second: %v, want g", on)
	}
}

// A connection's watch or recording tells its news, and ends by stop, when it is done, at its time,
// by reset, and with the connection.
func TestTasks(t *testing.T) {
	p := new(program)
	s := NewServer(p)
	now := time.Unix(1e9, 0)
	s.now = func() time.Time { return now }
	c := dial(t, s)
	begin := func() *task {
		t.Helper()
		if change := c.ask(Request{Do: DoRecord, Path: "/x", ForNS: 1e9}).Change; change == nil || change.Path != "/x" {
			t.Fatalf("change %+v, want path /x", change)
		}
		return p.tasks[len(p.tasks)-1]
	}
	closed := func(how string, one *task) {
		t.Helper()
		if n := one.closed.Load(); n != 1 {
			t.Errorf("%s has closed the task %d times, want 1", how, n)
		}
		if news := c.ask(Request{Do: DoNext}).News; news == nil || !news.Done {
			t.Errorf("news after %s: %+v, want the end", how, news)
		}
	}

	one := begin()
	one.news <- News{Hits: 7}
	if news := c.ask(Request{Do: DoNext}).News; news == nil || news.Hits != 7 || news.Done {
		t.Errorf("news %+v, want 7 hits", news)
	}
	if err := c.ask(Request{Do: DoWatch, Targets: []string{"f"}, Watch: &Watch{}}).Error; err == nil || err.Code != CodeState {
		t.Errorf("second task of a connection: error %v, want one", err)
	}
	if on := names(c.ask(Request{Do: DoStatus}).Status.On); !slices.Equal(on, []string{"all functions"}) {
		t.Errorf("on: %v, want all functions", on)
	}
	one.news <- News{Hits: 8}
	if news := c.ask(Request{Do: DoStop}).News; news == nil || news.Hits != 8 || !news.Done {
		t.Errorf("last news %+v, want 8 hits and the end", news)
	}
	closed("stop", one)

	one = begin()
	one.news <- News{Done: true}
	c.ask(Request{Do: DoNext})
	closed("the end", one)

	one = begin()
	now = now.Add(time.Second)
	if left := s.Expire(); left >= 0 {
		t.Errorf("nothing is on, and goes in %v", left)
	}
	closed("time", one)

	one = begin()
	c.ask(Request{Do: DoReset})
	closed("reset", one)

	one = begin()
	if err := c.end(); err != nil || one.closed.Load() != 1 {
		t.Errorf("end of the connection: %v, task closed %d times, want 1", err, one.closed.Load())
	}
}

// Calls that were kept are forgotten an hour after the last watch that kept some, and by reset.
func TestForget(t *testing.T) {
	p := new(program)
	s := NewServer(p)
	now := time.Unix(1e9, 0)
	s.now = func() time.Time { return now }
	c := dial(t, s)
	c.ask(Request{Do: DoWatch, Targets: []string{"f"}, Watch: &Watch{Keep: true}})
	for i, step := range []struct {
		do     string
		pass   time.Duration
		left   time.Duration
		forgot int
	}{
		{pass: 2 * keepFor, left: keepFor}, {do: DoStop, pass: keepFor / 2, left: keepFor / 2}, {pass: keepFor / 2, left: -1, forgot: 1},
		{pass: keepFor, left: -1, forgot: 1}, {do: DoReset, left: -1, forgot: 2},
	} {
		if step.do != "" {
			c.ask(Request{Do: step.do})
		}
		now = now.Add(step.pass)
		if left := s.Expire(); left != step.left || p.forgot != step.forgot {
			t.Errorf("step %d: forgotten %d times, %v left, want %d and %v", i, p.forgot, left, step.forgot, step.left)
		}
	}
	if k := c.ask(Request{Do: DoCalls, Calls: &Query{After: 6}}).Calls; k == nil || k.After != 7 {
		t.Errorf("calls %+v, want what the host answered", k)
	}
}

func TestGarbage(t *testing.T) {
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x00", "\x00\x00\x00\x02{]", "\x00\x00\x00\x01{"} {
		c := dial(t, NewServer(new(program)))
		go c.conn.Write([]byte(text))
		var answer Response
		if err := Read(c.conn, &answer); err != nil || answer.Error == nil || answer.Error.Code != CodeRequest {
			t.Errorf("%q: answer %+v, %v, want an error", text, answer, err)
		}
		c.conn.Close()
		if err := <-c.done; !errors.Is(err, ErrGarbage) {
			t.Errorf("%q: served with %v, want ErrGarbage", text, err)
		}
	}
}

// TestCut cuts a message at each byte.
func TestCut(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Request{Do: DoStatus}); err != nil {
		t.Fatal(err)
	}
	for n := range b.Bytes() {
		var r Request
		err := Read(bytes.NewReader(b.Bytes()[:n]), &r)
		if want := io.ErrUnexpectedEOF; n > 0 && err != want || n == 0 && err != io.EOF {
			t.Errorf("%d bytes: %v, want %v", n, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add(binary.BigEndian.AppendUint32(nil, MaxMessage))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		if err := Read(bytes.NewReader(b), &r); err == nil && len(b) < 5 {
			t.Errorf("%q is a message", b)
		}
	})
}
