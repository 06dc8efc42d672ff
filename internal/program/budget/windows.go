package budget

// Windows says when calls of demoted functions are sampled: in a window all of them are recorded or
// timed. Windows come at random moments, and have the same share of the time in every phase of the
// program, as long as it has as many CPUs. So a call of one phase is as likely a sample as that of
// another. A function's numbers are estimated from its samples.
type Windows struct {
	share   float64 // of the time
	cpus    float64 // that the program usually has, see Controller.Usual
	state   uint64  // of random
	next    int64   // when the next window begins, ns; 0: none is planned
	began   int64   // when the open one began; 0: none is open
	counts  int64   // when the counting before the next one began; 0: there is none now
	ends    int64   // when it is to end, or counting
	waited  int64   // of its time, for the first call
	length  float64
	brief   bool // windows are short: many tell more of numbers of calls than long ones
	windows uint32
}

// Of windows.
const (
	ofBudget    = 0.2  // of the budget is the share of time in windows,
	mostOfTime  = 0.03 // but not more than that
	firstWindow = 200e3
	lastWindow  = 1e6
	briefWindow = 100e3
	windowGrows = 1.2
	mostGap     = 100e6 // ns, also after a window that ended late,
	strictGap   = 4     // times that with a strict budget: else on a busy machine such windows cost what it has
	longestGap  = 1e15  // ns, of the least of budgets
	mostWaited  = 4e6   // ns in a window
	counting    = 10    // windows long before one calls are counted that nobody counts else
)

// NewWindows returns windows for a budget. The seed is any number.
func NewWindows(l Limit, seed uint64) *Windows {
	w := &Windows{share: min(l.Share*ofBudget, mostOfTime), cpus: 1, state: seed, length: firstWindow}
	if l.Strict {
		w.brief, w.share, w.length = true, w.share*careful, briefWindow
	}
	return w
}

// Next returns how long it is until a window begins, or until the open one ends, ns. Functions are demoted.
func (w *Windows) Next(now int64) int64 {
	if w.began > 0 || w.counts > 0 {
		return w.ends - now
	}
	if w.next == 0 {
		w.next = now + w.gap(w.length)
	}
	return w.next - now
}

// gap returns how long it is from the end of a window of that length to the next one.
func (w *Windows) gap(length float64) int64 {
	share := w.share * w.cpus
	most := max(mostGap, w.length/share)
	if w.brief {
		most *= strictGap
	}
	return int64(min(length/share, most, longestGap) * (0.5 + w.random()))
}

// random returns a number between 0 and 1: SplitMix64.
func (w *Windows) random() float64 {
	w.state += 0x9E3779B97F4A7C15
	z := w.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return float64((z^z>>31)>>11) / (1 << 53)
}

// None forgets what is planned: no function is demoted.
func (w *Windows) None() { w.next, w.counts = 0, 0 }

// Count has calls counted that nobody counts else, until the window begins.
func (w *Windows) Count(now int64) { w.counts, w.ends = now, now+int64(counting*w.length) }

// Counts reports whether calls are counted until the window begins.
func (w *Windows) Counts() bool { return w.counts > 0 }

// Begin begins a window, and returns the number of its group, from 0 on.
func (w *Windows) Begin(now int64, groups uint32) (group uint32) {
	w.counts, w.began, w.ends, w.waited = 0, now, now+int64(w.length), 0
	w.windows++
	return (w.windows - 1) % groups
}

// Wait has the open window go on, as the program had no CPU in it, it seems. It reports false if it has waited for
// long enough: then the window is to end.
func (w *Windows) Wait(now int64) bool {
	open := now - w.began
	if open >= mostWaited {
		return false
	}
	w.ends, w.waited = min(now+open, w.began+mostWaited), open
	return true
}

// End ends the window.
func (w *Windows) End(now int64) {
	w.next = now + w.gap(float64(now-w.began-w.waited))
	w.began = 0
	if w.brief {
		return
	}
	w.length = min(w.length*windowGrows, max(firstWindow, min(lastWindow, mostGap*w.share)))
}

// Length returns how long the next window is, ns.
func (w *Windows) Length() float64 { return w.length }

// Open reports whether a window has begun.
func (w *Windows) Open() bool { return w.began > 0 }
