package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session/sessiontest"
	"github.com/waymark-go/waymark/internal/program/control"
)

func open(t *testing.T, p *sessiontest.Program) *session.Session {
	t.Helper()
	s, err := session.Open(p.Dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// settled waits until so many tasks go on: the program sees the end of a connection a little later.
func settled(t *testing.T, p *sessiontest.Program, want int) {
	t.Helper()
	for range 500 {
		if _, open := p.Begun(); open == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	list, open := p.Begun()
	t.Errorf("%d tasks of %v go on, want %d", open, list, want)
}

func sumsOf(t *testing.T, s *session.Session) map[string]control.Numbers {
	t.Helper()
	list, ended, err := s.Sums()
	if err != nil || ended != "" {
		t.Fatalf("sums: %v, ended %q", err, ended)
	}
	byName := make(map[string]control.Numbers)
	for _, n := range list {
		byName[n.Function] = n
	}
	return byName
}

// Numbers go on when other functions are switched on, and stay when functions are switched off.
func TestSwitch(t *testing.T) {
	p := sessiontest.New()
	s := open(t, p)
	if got := sumsOf(t, s); len(got) != 0 {
		t.Errorf("sums %v, want none", got)
	}
	if c, err := s.Switch([]string{"m.F"}); err != nil || c.Functions != 1 {
		t.Fatalf("switch: %+v, %v, want 1 function", c, err)
	}
	sumsOf(t, s)
	if got := sumsOf(t, s)["m.F"]; got.Calls != 2 {
		t.Errorf("m.F %+v, want 2 calls", got)
	}
	if _, err := s.Switch([]string{"m.F", "m/store"}); err != nil { // takes the third
		t.Fatal(err)
	}
	got := sumsOf(t, s)
	if f, put := got["m.F"], got["m/store.Put"]; f.Calls != 4 || f.TotalNS != 4e6 || f.Parts == nil || f.RunningNS != 2e6 || put.Calls != 1 || f.MaxNS != 3e6 {
		t.Errorf("m.F %+v, Put %+v, want 4 calls of 1 ms and 1 call", f, put)
	}
	if _, err := s.Switch([]string{"none"}); err == nil || !strings.Contains(err.Error(), "none names no function") {
		t.Errorf("switch none: %v, want that it names no function", err)
	}
	if got := s.Targets(); len(got) != 2 {
		t.Errorf("on after a mistake: %v, want both as before", got)
	}
	if _, err := s.Switch(nil); err != nil {
		t.Fatal(err)
	}
	settled(t, p, 0)
	if got := sumsOf(t, s)["m.F"]; got.Calls != 5 {
		t.Errorf("after the end m.F %+v, want 5 calls", got)
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := sumsOf(t, s); len(got) != 0 {
		t.Errorf("after reset %v, want nothing", got)
	}
}

// A session that is closed leaves nothing on. What a lost connection had on is switched on again.
func TestLost(t *testing.T) {
	p := sessiontest.New()
	s := open(t, p)
	if _, err := s.Switch([]string{"all"}); err != nil {
		t.Fatal(err)
	}
	sumsOf(t, s)
	p.Cut()
	list, _, err := s.Sums()
	if err == nil || len(list) != 4 {
		t.Errorf("after the cut: %d functions, %v, want 4 and an error", len(list), err)
	}
	if got := sumsOf(t, s)["m.F"]; got.Calls != 2 {
		t.Errorf("after connecting again m.F %+v, want 2 calls", got)
	}
	settled(t, p, 1)
	s.Close()
	settled(t, p, 0)
}

func TestGone(t *testing.T) {
	p := sessiontest.New()
	s := open(t, p)
	if _, err := s.Switch([]string{"all"}); err != nil {
		t.Fatal(err)
	}
	sumsOf(t, s)
	p.Exit()
	for range 2 {
		if list, _, err := s.Sums(); err == nil || len(list) != 4 {
			t.Errorf("%d functions, %v, want the last 4 and an error", len(list), err)
		}
	}
	if _, err := s.Status(); err == nil {
		t.Error("status of a program that has ended: no error")
	}
	// Another process with the name isn't taken for it.
	q := sessiontest.New()
	q.PID = 8
	other := sessiontest.New()
	dial := other.Dial
	s, err := session.Open(func(...string) (*live.Conn, error) { return dial() })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other.Cut()
	s.Status() // finds the end
	dial = q.Dial
	if _, err := s.Status(); err == nil || !strings.Contains(err.Error(), "process 8 is there now, and not 7") {
		t.Errorf("status: %v, want that process 8 is there now", err)
	}
}

func TestFeed(t *testing.T) {
	p := sessiontest.New()
	s := open(t, p)
	f, err := s.Follow(control.Request{Do: control.DoWatch, Targets: []string{"m.F"}, Watch: &control.Watch{Kind: control.KindCalls}})
	if err != nil {
		t.Fatal(err)
	}
	p.Calls <- []control.Call{{Function: "m.F"}, {Function: "m.F"}}
	if n, err := f.Next(); err != nil || len(n.Calls) != 2 {
		t.Errorf("news %+v, %v, want 2 calls", n, err)
	}
	if n, err := f.Stop(); err != nil || !n.Done {
		t.Errorf("stop: %+v, %v, want the end", n, err)
	}
	if _, err := f.Next(); !session.Stopped(err) {
		t.Errorf("next after stop: %v", err)
	}
	settled(t, p, 0)
	if _, err := s.Follow(control.Request{Do: control.DoRecord, Path: "/tmp/a.wmt"}); err != nil {
		t.Fatal(err)
	}
	settled(t, p, 1)
	if _, err := s.Follow(control.Request{Do: control.DoWatch, Targets: []string{"none"}, Watch: &control.Watch{Kind: control.KindCalls}}); err == nil {
		t.Error("watch none: no error")
	}
	s.Close() // ends the recording
	settled(t, p, 0)
	if _, err := s.Status(); err == nil {
		t.Error("status of a session that is closed: no error")
	}
}
