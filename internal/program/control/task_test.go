package control

import (
	"bytes"
	"net"
	"slices"
	"testing"
	"time"
)

// A pausing connection is one on which nothing is read while news are waited for: time passes at once.
type pausing struct {
	net.Conn
	pauses []time.Duration
	pass   func(time.Duration)
}

func (c *pausing) Pause(ns int64) bool {
	c.pauses = append(c.pauses, time.Duration(ns))
	c.pass(time.Duration(ns))
	return false
}

// The first news are told when they are there. Then news are gathered, unless there are more than were told.
func TestNewsAreGathered(t *testing.T) {
	p := new(program)
	s := NewServer(p)
	now := time.Unix(1e9, 0)
	s.now = func() time.Time { return now }
	a, b := net.Pipe()
	defer a.Close()
	var come time.Time // when there are news
	conn := &pausing{Conn: b}
	conn.pass = func(d time.Duration) {
		before := now
		if now = now.Add(d); before.Before(come) && !now.Before(come) {
			p.tasks[0].news <- News{Calls: make([]Call, 1)}
		}
	}
	go s.Serve(conn, "test")
	c := &client{t: t, conn: a}
	c.ask(Request{Do: DoWatch, Targets: []string{"f"}, Watch: &Watch{}})
	next := func(wait time.Duration, calls int, want ...time.Duration) {
		t.Helper()
		conn.pauses = nil
		news := c.ask(Request{Do: DoNext, WaitNS: int64(wait)}).News
		if news == nil || len(news.Calls) != calls || !slices.Equal(conn.pauses, want) {
			t.Errorf("news %+v after pauses %v, want %d calls after %v", news, conn.pauses, calls, want)
		}
	}
	come = now.Add(2 * look)
	next(time.Second, 1, look, look)
	// They are there at once, but others have just been told.
	p.tasks[0].news <- News{Calls: make([]Call, 2), More: true}
	next(time.Second, 2, look)
	p.tasks[0].news <- News{Calls: make([]Call, 3)}
	next(time.Second, 3)
	now = now.Add(look / 2)
	come = now.Add(time.Second)
	next(2*look, 0, look/2, look, look/2)
	next(0, 0)
	// The task says how long there are none.
	p.tasks[0].news <- News{Quiet: 5 * look}
	come = now.Add(5 * look)
	next(time.Second, 1, 5*look)
	// After a while without news there is nothing to wait for.
	now = now.Add(time.Minute)
	p.tasks[0].news <- News{Calls: make([]Call, 4)}
	next(time.Second, 4)
}

// What is left when a task ends is told, part by part: after a stop, and after a reset by somebody else.
func TestRestIsTold(t *testing.T) {
	for _, reset := range []bool{false, true} {
		p := new(program)
		s := NewServer(p)
		c := dial(t, s)
		c.ask(Request{Do: DoWatch, Targets: []string{"f"}, Watch: &Watch{}})
		p.tasks[0].news <- News{Calls: make([]Call, 1), Skipped: 7, More: true}
		p.tasks[0].news <- News{Calls: make([]Call, 2), Skipped: 8}
		do, why := DoStop, ""
		if reset {
			dial(t, s).ask(Request{Do: DoReset})
			do, why = DoNext, whyOver
		}
		first := c.ask(Request{Do: do}).News
		second := c.ask(Request{Do: do}).News
		if first == nil || len(first.Calls) != 1 || first.Done || second == nil || len(second.Calls) != 2 || second.Skipped != 8 || !second.Done || second.Why != why {
			t.Errorf("reset %v: the last news are %+v and %+v, want 1 call, 2 calls and the end", reset, first, second)
		}
		if answer := c.ask(Request{Do: DoStop}); answer.Error == nil || answer.Error.Code != CodeState {
			t.Errorf("reset %v: a stop after the end: %+v, want an error", reset, answer)
		}
	}
}

// A leaving connection keeps what it is told last.
type leaving struct {
	pausing
	last bytes.Buffer
	told chan struct{} // closed by Last

	rests, queued chan struct{} // Rest closes the one, and waits for the other
}

func (c *leaving) Last(b []byte) {
	c.last.Write(b)
	close(c.told)
}

func (c *leaving) Rest(int64) {
	close(c.rests)
	<-c.queued
}

// Clients that wait when the program ends, or do so soon, are told the last calls, in one message and by nobody else.
func TestFarewell(t *testing.T) {
	t.Run("soon", func(t *testing.T) { testFarewell(t, true, DoWatch) })
	t.Run("at once", func(t *testing.T) { testFarewell(t, false, DoWatch, DoRecord) })
}

func testFarewell(t *testing.T, soon bool, dos ...string) {
	for _, do := range dos {
		p := new(program)
		s := NewServer(p)
		var farewell func()
		s.Ending = func(f func()) { farewell = f }
		now := time.Unix(1e9, 0)
		s.now = func() time.Time { return now }
		a, b := net.Pipe()
		defer a.Close()
		conn := &leaving{pausing: pausing{Conn: b}, told: make(chan struct{}), rests: make(chan struct{}), queued: make(chan struct{})}
		ended := false
		conn.pass = func(d time.Duration) {
			if now = now.Add(d); farewell == nil || ended {
				return
			}
			ended = true
			p.tasks[0].news <- News{Calls: make([]Call, 1), More: true}
			p.tasks[0].news <- News{Calls: make([]Call, 2), Skipped: 9}
			close(conn.queued)
			if !soon {
				farewell()
			}
			<-conn.told
		}
		done := make(chan error, 1)
		go func() {
			done <- s.Serve(conn, "test")
			b.Close()
		}()
		c := &client{t: t, conn: a}
		c.ask(Request{Do: do, Targets: []string{"f"}, Watch: &Watch{}})
		if do == DoRecord { // whose file is completed by others
			if farewell != nil {
				t.Error("a recording is told when the program ends")
			}
			continue
		}
		if soon {
			go farewell()
			<-conn.rests // nobody waits now
		}
		if err := Write(a, Request{Version: Version, Do: DoNext, WaitNS: int64(time.Second)}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		var answer Response
		if err := Read(&conn.last, &answer); err != nil {
			t.Fatal(err)
		}
		if n := answer.News; n == nil || len(n.Calls) != 3 || n.Skipped != 9 || !n.Done || n.Why != WhyEnded || conn.last.Len() > 0 {
			t.Errorf("the last news are %+v, want 3 calls and the end", n)
		}
		if n, _ := a.Read(make([]byte, 1)); n != 0 {
			t.Error("the client is answered twice")
		}
	}
}
