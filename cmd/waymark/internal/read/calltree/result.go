package calltree

// A Result is what a Builder has made of a recording. Times are in ticks.
type Result struct {
	Rows       []Row       // those with calls, by key
	Goroutines []Goroutine // by id; only if Options.Goroutines is set
	Tree       []Node      // callers before callees; only if Options.Tree is set

	Events uint64 // within the window: of all kinds
	Calls  uint64 // counted
	Seen   uint64 // goroutines that were alive within the window
	Past   bool   // the recording goes on after Options.To

	Mixed uint64 // waits that were recorded as one with others: their reasons are that of the longest

	Problems Problems
}

// A Row adds up the calls that have one key.
type Row struct {
	Key    uint32
	Calls  uint64
	Total  uint64 // of outermost calls
	Self   uint64
	Sum    uint64 // of all calls
	Min    uint64
	Max    uint64
	Panics uint64 // calls that panicked
	Errors uint64 // calls that returned an error
	Open   uint64 // calls that had not ended
	Long   uint64 // calls of Long events, which have no Self
	Off    *Offs  // in which goroutines did not run
	Made   Made   // by the calls themselves
}

func (r *Row) add(total, self uint64, outermost bool, flags Flags) {
	if r.Calls == 0 || total < r.Min {
		r.Min = total
	}
	r.Max = max(r.Max, total)
	r.Calls++
	r.Sum += total
	r.Self += self
	if outermost {
		r.Total += total
	}
	if flags&Panicked != 0 {
		r.Panics++
	}
	if flags&Failed != 0 {
		r.Errors++
	}
	if flags&Open != 0 {
		r.Open++
	}
}

// Add adds a call that has ended. Of its time, ticks are in the row's Total, as those of calls that it
// has made.
func (r *Row) Add(c *Call, ticks uint64) {
	r.add(c.End-c.Start, c.Self, true, c.Flags)
	r.Total -= ticks
	if c.Off != nil {
		addOff(&r.Off, c.Off, ticks == 0)
	}
	r.Made.add(c.Made)
}

// merge adds calls that have been added up, but for their Total.
func (r *Row) merge(d *digestRow) {
	if r.Calls == 0 || d.min < r.Min {
		r.Min = d.min
	}
	r.Max = max(r.Max, d.max)
	r.Calls += d.calls
	r.Sum += d.sum
	r.Self += d.self
	r.Errors += d.errors
}

// A Goroutine is what a goroutine did.
type Goroutine struct {
	ID     uint64
	Parent uint64 // 0 if its start was not recorded
	Origin uint32 // of the go statement, 0 if unknown
	Start  uint64 // clock of its first event
	End    uint64 // clock of its end, of the recording's if it was alive then
	Ended  bool
	Calls  uint64
	Roots  uint64 // calls that have no caller
	Total  uint64 // of its root calls
	Self   uint64 // of its calls; equal to Total
	Min    uint64 // of its root calls
	Max    uint64 // of its root calls
	Panics uint64 // that began on it
	Errors uint64 // calls that returned an error
	Off    *Offs  // in which it did not run
	Made   Made   // by its calls
}

func (g *Goroutine) addRoot(total uint64) {
	if g.Roots == 0 || total < g.Min {
		g.Min = total
	}
	g.Max = max(g.Max, total)
	g.Roots++
	g.Total += total
}

// addRoots adds root calls that have been added up.
func (g *Goroutine) addRoots(o *roots) {
	if o.n == 0 {
		return
	}
	if g.Roots == 0 || o.min < g.Min {
		g.Min = o.min
	}
	g.Max = max(g.Max, o.max)
	g.Roots += o.n
	g.Total += o.total
}

// Problems count what a complete recording of a correct program does not have.
type Problems struct {
	Unmatched uint64 // exits of a call that isn't open: its enter was lost
	Cut       uint64 // calls whose end was lost
	Backward  uint64 // events before the goroutine's previous one; taken as simultaneous
	Unknown   uint64 // events of an unknown goroutine or of no possible site, left out
}
