package budget

import "testing"

// TestWindows checks that windows have their share of the time in each part of it, whatever the share is, and
// take turns in groups.
func TestWindows(t *testing.T) {
	for _, share := range []float64{0.01, 0.1, 1} {
		w := NewWindows(Limit{Share: share}, 42)
		now, in := int64(1), [10]float64{}
		begun := 0
		const all = 10e9
		for now < all {
			if pause := w.Next(now); pause > 0 {
				now += pause
			}
			if w.Open() {
				now += 20e3 // woken late
				in[min(int(float64(now)/all*10), 9)] += float64(now - w.began)
				w.End(now)
				continue
			}
			if group := w.Begin(now, 7); group != uint32(begun%7) {
				t.Fatalf("share %v: window %d is of group %d, want %d", share, begun, group, begun%7)
			}
			begun++
		}
		want := min(share*ofBudget, mostOfTime)
		for i, ns := range in {
			if got := ns / (all / 10); got < want*0.7 || got > want*1.4 {
				t.Errorf("share %v: in the %dth tenth of the time windows have %.4f of it, want %.4f", share, i+1, got, want)
			}
		}
	}
}

// A program that has a quarter of a CPU has a quarter of the windows.
func TestWindowsOfIdle(t *testing.T) {
	gaps := func(cpus float64) (sum int64) {
		w := NewWindows(Limit{Share: 0.03, Strict: true}, 42)
		w.cpus = cpus
		for range [1000]int{} {
			sum += w.gap(w.length)
		}
		return sum
	}
	if all, quarter := gaps(1), gaps(0.25); quarter < 4*all-1000 || quarter > 4*all+4000 {
		t.Errorf("1000 gaps take %d ns with a quarter of a CPU, and %d with one: want four times as much", quarter, all)
	}
}

// A window that ends very late is not followed by a pause without an end.
func TestLateWindow(t *testing.T) {
	for _, c := range []struct {
		limit Limit
		most  float64
	}{{Limit{Share: 0.01}, mostGap}, {Limit{Share: 0.1, Strict: true}, mostGap * strictGap}} {
		w := NewWindows(c.limit, 42)
		w.Next(1)
		w.Begin(5e6, 7)
		w.End(5e9)
		if pause := float64(w.Next(5e9)); pause < 0.5*c.most || pause > 1.5*c.most {
			t.Errorf("%+v: the next window comes in %v ns, want half to three halves of %v", c.limit, pause, c.most)
		}
		w.None()
		if w.Next(9e9) <= 0 {
			t.Errorf("%+v: a window begins at once where none was planned", c.limit)
		}
	}
}

// A window in which the program had no CPU goes on for a while, and the next one comes as if it had not.
func TestWindowWaits(t *testing.T) {
	w := NewWindows(Limit{Share: 0.1}, 42)
	now := w.Next(1) + 1
	w.Begin(now, 7)
	began, waits := now, 0
	for now += w.Next(now); w.Wait(now); now += w.Next(now) {
		waits++
	}
	if open := now - began; open != mostWaited || waits > 6 {
		t.Errorf("the window waits %d times for %d ns, want few times for %v", waits, open, mostWaited)
	}
	w.End(now)
	if pause, most := w.Next(now), int64(1.5*2*float64(now-began)/0.02); pause <= 0 || pause >= most/2 {
		t.Errorf("the next window comes in %d ns, want less than %d", pause, most/2)
	}
}
