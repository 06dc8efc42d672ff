package recorder

import (
	"testing"
	"time"
)

// The limit of go test is put off by what recording takes, and known only if it was set.
func TestAlarm(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	f.start(Config{}).Close()
	if left := f.alarm(0); left >= 0 {
		t.Errorf("without a limit %d ns are left, want less than 0", left)
	}
	r := f.start(Config{Timeout: time.Second})
	if left := f.alarm(0); left != 1e9 {
		t.Errorf("at the start %d ns are left, want a second", left)
	}
	if left := f.alarm(4e8); left != 6e8 {
		t.Errorf("after 400 ms without events %d ns are left, want 600 ms", left)
	}
	if left := f.alarm(5e9); left != 0 {
		t.Errorf("after 5 s without events %d ns are left, want 0", left)
	}
	f.call(0, 1, 1, 100_000)
	f.idle(r)
	f.wait("the events are counted", func() bool { return f.alarm(5e8) > 5e8 })
	left := f.alarm(5e8)
	f.call(0, 1, 1, 100_000)
	f.wait("more events are counted", func() bool { return f.alarm(5e8) > left })
	r.pid++ // a copy of the process has no limit of its own
	if left := f.alarm(5e8); left >= 0 {
		t.Errorf("in a copy of the process %d ns are left, want less than 0", left)
	}
	r.pid--
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if after := f.alarm(5e8); after < left {
		t.Errorf("after the recording %d ns are left, before %d", after, left)
	}
}
