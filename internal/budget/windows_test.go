package budget

import "testing"

// TestWindows checks that windows have their share of the time in each part of it, whatever the share is, and
// take turns in groups.
func TestWindows(t *testing.T) {
	for _, share := range []float64{0.01, 0.1, 1} {
		w := NewWindows(share, 42)
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

// A window that ends very late is not followed by a pause without an end.
func TestLateWindow(t *testing.T) {
	w := NewWindows(0.01, 42)
	w.Next(1)
	w.Begin(5e6, 7)
	w.End(5e9)
	if pause := w.Next(5e9); pause > 1.5*mostGap {
		t.Errorf("the next window comes in %d ns, want %v at most", pause, 1.5*mostGap)
	}
	w.None()
	if w.Next(9e9) <= 0 {
		t.Error("a window begins at once where none was planned")
	}
}
