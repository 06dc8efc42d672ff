package control

import (
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
