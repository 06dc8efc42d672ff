package control

import (
	"testing"
	"time"
)

// A costly task takes a share of the time while it isn't paused.
type costly struct {
	task
	share  float64
	paused bool
	took   time.Duration
	pauses int
}

func (c *costly) Took() time.Duration { return c.took }
func (c *costly) Pause(on bool) error {
	if c.paused = on; on {
		c.pauses++
	}
	return nil
}

// A trimmed task takes less when it is told to.
type trimmed struct{ costly }

func (t *trimmed) Trim(share float64) (int, error) {
	t.share *= share
	return 3, nil
}

// TestTrim has a task trimmed that can be, instead of paused.
func TestTrim(t *testing.T) {
	now, cpu := time.Unix(0, 0), time.Duration(0)
	c := &trimmed{costly{share: 0.5}}
	b := newBreaker(c, 0.05, func() time.Time { return now }, func() time.Duration { return cpu })
	for i := 0; i < 10; i++ {
		now = now.Add(breakerLook)
		took := time.Duration(c.share * float64(breakerLook))
		c.took += took
		cpu += took + breakerLook
		b.step()
	}
	if n := b.Next(); c.pauses > 0 || c.share > 0.05 || n.Cut == nil || n.Cut.Counted != 3 || n.Cut.On != 1 {
		t.Errorf("it was paused %d times, takes %.3f of the time, and says %+v; want no pause, 0.05 at most, and that 3 functions are counted", c.pauses, c.share, n.Cut)
	}
}

// TestBreaker has a task take a share of a program's time, and looks at what it takes with a budget of 5 %.
func TestBreaker(t *testing.T) {
	for _, tt := range []struct {
		name  string
		share float64 // of the time that the task takes
		busy  float64 // of the time that the program itself takes
		most  float64 // of the program's time that the task may take
		cut   bool
	}{
		{"cheap", 0.03, 1, 0.04, false},
		{"dear", 0.5, 1, 0.06, true},
		{"ruinous", 5, 1, 0.06, true}, // a pause has an end: it is looked at for less
		{"idle", 0.004, 0.001, 10, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const step = 10 * time.Millisecond
			now, cpu := time.Unix(0, 0), time.Duration(0)
			c := &costly{share: tt.share}
			b := newBreaker(c, 0.05, func() time.Time { return now }, func() time.Duration { return cpu })
			due := now
			for i := 0; i < 60_000; i++ { // ten minutes
				now = now.Add(step)
				cpu += time.Duration(tt.busy * float64(step))
				if !c.paused {
					took := time.Duration(tt.share * float64(step))
					c.took += took
					cpu += took
				}
				if !now.Before(due) {
					due = now.Add(b.step())
				}
			}
			own := cpu - c.took
			if got := float64(c.took) / float64(own); got > tt.most {
				t.Errorf("the task took %.1f %% of the program's time, want at most %.1f %%", 100*got, 100*tt.most)
			}
			n := b.Next()
			if (n.Cut != nil) != tt.cut {
				t.Fatalf("cut: %v, want %t", n.Cut, tt.cut)
			}
			if n.Cut == nil {
				return
			}
			if on := float64(c.took) / tt.share / (600e9); n.Cut.On < on*0.99 || n.Cut.On > on*1.01 {
				t.Errorf("it says that calls were told for %.3f of the time, it was %.3f", n.Cut.On, on)
			}
			if n.Cut.Took < tt.share*0.9 || n.Cut.Took > tt.share*1.2 {
				t.Errorf("it says that they took %.3f, it was %.3f", n.Cut.Took, tt.share)
			}
		})
	}
}

// TestShare has calls take more than all of a program's CPU time: what they take is estimated.
func TestShare(t *testing.T) {
	for _, tt := range []struct {
		took, used, least time.Duration
		want              float64
	}{{1, 11, 0, 0.1}, {1, 11, 20, 0.05}, {2000, 1000, 0, 9}, {0, 0, 0, 0}} {
		if got := Share(tt.took, tt.used, tt.least); got < tt.want*0.999 || got > tt.want*1.001 {
			t.Errorf("%d of %d, %d at least: %.3f, want %.3f", tt.took, tt.used, tt.least, got, tt.want)
		}
	}
}

// TestPeriod has the news of a task that is paused say in what share of each period it was not.
func TestPeriod(t *testing.T) {
	now, cpu := time.Unix(0, 0), time.Duration(0)
	c := &costly{}
	b := newBreaker(c, 0.1, func() time.Time { return now }, func() time.Duration { return cpu })
	pass := func(d time.Duration) {
		now, cpu = now.Add(d), cpu+d
	}
	if n := b.Next(); n.Cut != nil {
		t.Errorf("before it is cut back: %v, want nothing", n.Cut)
	}
	pass(200 * time.Millisecond)
	c.took += 100 * time.Millisecond // as much as the program itself: nine tenths of the time are to be pauses
	if rest := b.step(); rest != 1800*time.Millisecond || !c.paused {
		t.Fatalf("it rests %v, paused %t, want 1.8s", rest, c.paused)
	}
	for _, want := range []float64{0.5, 0, 0} {
		if pass(200 * time.Millisecond); want == 0 {
			pass(400 * time.Millisecond)
		}
		if got := b.Next().Cut.Period; got < want-0.001 || got > want+0.001 {
			t.Errorf("it was seen for %.2f of a period, want %.2f", got, want)
		}
	}
}
