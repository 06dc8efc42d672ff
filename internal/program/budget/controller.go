package budget

import (
	"math"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Times, in ns.
const (
	window     = 20e6 // rates are of so much time, or
	longWindow = 80e6 // of so much, if there are few calls
	reserve    = 60e6 // the account holds what comes in within this time,
	mostDebt   = 2e9  // and owes no more than that

	slow = 1e9 // rates that functions are promoted by are averages of so much time

	longUsual  = 10e9 // CPUs that the program usually has are an average of so much time,
	leastUsual = 0.25 // and at least so many

	mostSaved   = 500e6 // for tests that begin
	partOfSaved = 0.01  // is for one of them, but
	leastAhead  = 5e6   // at least: a test of 1 ms is recorded to its end; if nothing is saved,
	leastFresh  = 1e6   // so much is for each

	leftBySubtests = mostSaved / 2

	firstWait = 200e6 // before a function is promoted
	mostWait  = 120e9
)

// LongCall is how long a call takes at least, in ns, that is recorded at any level.
const LongCall = 100e3

const (
	enoughCalls = 1 << 14 // recorded in a window, so that it need not be a long one
	enoughSpent = 2e6     // ns that tracing has taken in a window, the same
	littleSpent = 0.25    // of that, for a strict budget

	aim       = 0.9 // of the budget is the most that is left when functions have been demoted
	aimDebt   = 0.75
	aimStrict = 0.25 // the same of a strict one
	room      = 0.8  // of the budget is the most that is predicted when functions are promoted

	// leastOwn is the least share of CPU time that is taken for the program's own: costs may be
	// estimated too high.
	leastOwn = 0.1

	// leastElse is the share of the budget that is left for other things than counting, however many
	// calls there are. So functions that are not called often are recorded.
	leastElse = 0.1

	// careful is the part of a strict budget that is used: in some programs calls cost twice as much as is known.
	careful = 0.5

	// partOfWrite is what a recorded call takes in the program, of what writing takes: where few calls are recorded among
	// much else, nothing of either is in the cache. mostOfCall is how many times more that may be than in a loop.
	partOfWrite = 0.4
	mostOfCall  = 4

	// dear is how many times more counting may cost with a strict budget than is known: in some programs it does.
	dear = 1.5

	// least is a share of wall time that tracing may always take. Else programs that only wait
	// would have their few calls demoted.
	least = 0.001
)

// Costs are what tracing costs, in ns.
type Costs struct {
	Call    float64 // of a call that is recorded, or timed, without what is done in the background
	Write   float64 // of a recorded call in the background, until that is measured
	Read    float64 // of one reading of the clock
	Values  float64 // more for an event with values, until that is measured
	Byte    float64 // more for each byte of values, until that is measured
	Boxed   float64 // more for an event with values, which is not in what is measured
	Int     float64 // more for each integer
	Long    float64 // of a call that is counted, and recorded if it takes long
	Counted float64 // of a call that is only counted
	Unread  float64 // more for a call that has values, which nobody reads
}

// A Usage is what the process has taken until an instant, in ns. Each is a sum since the start.
type Usage struct {
	Now   int64 // of a monotonic clock
	CPU   int64 // of the process
	Own   int64 // of CPU that encoding and writing took
	Timer int64 // of CPU that deciding took, which does not depend on the calls

	Samples int64 // of CPU that samples of counted calls took: their share of the time is chosen, see Windows
}

// A Sample is what has happened since the sample before.
type Sample struct {
	Usage
	Tick    float64        // ns in a tick of Tallies
	Tallies []format.Tally // by site: calls that were recorded, or timed, since the sample before
	Counts  []uint64       // by site: calls that were counted since the program began
	Values  ValueTimes     // what was measured since the sample before
}

// ValueTimes is how long it took to write the values of some events, each with one reading of the
// clock.
type ValueTimes struct {
	Events, Bytes uint64
	Ticks         uint64
}

// A Change gives a site another level.
type Change struct {
	Site  uint32
	Level uint8 // format.LevelFull, LevelUnvalued, LevelCounted, LevelOnly or LevelSampled
}

// A Controller keeps the cost of tracing within a budget.
type Controller struct {
	// Rank returns when a site is demoted: sites of higher rank after all others. nil: all are
	// alike.
	Rank func(site uint32) int

	// Times says that calls are timed and not recorded: there are no levels but full and only
	// counted.
	Times bool

	// Strict says that the budget holds also where counting costs more: such calls are not even counted.
	Strict bool

	// Saved is what there is for tests that begin while the account is empty, in ns. Once a test has
	// begun, half of what comes in is saved until there is enough.
	Saved float64

	share   float64 // of the program's own CPU time that tracing may take
	costs   Costs
	write   float64 // ns, of a recorded call in the background
	hook    float64 // ns, of a recorded call in the program, see partOfWrite
	writing writing // since that was measured
	scale   scale   // of values

	last     Usage
	sites    []site
	counted  []uint64 // by site: of Sample.Counts, when last seen
	called   []uint32 // sites of which there is anything in the period
	rated    []uint32 // sites that are called, or were of late: the rates of all others are 0, and stay so
	balance  float64  // of the account, ns
	rate     float64  // what comes in per ns, of late
	cpus     float64  // CPU time in a ns, of late
	usual    float64  // the same, of a longer time
	age      float64  // since the start, ns
	crowded  float64  // see crowded
	seen     period
	spent    float64 // by tracing, since the start, ns
	demoted  int     // sites that are not at level full
	switches int     // changes made

	tests     bool    // tests begin
	beginning bool    // one has begun that Saved pays
	ahead     float64 // what that test may still take, ns
	granted   float64 // to tests, beyond what was saved, ns
	own       float64 // time of the suite without tracing, CPU time and idle time, ns

	work work
}

// writing is what it took to write calls.
type writing struct {
	calls uint64
	ns    float64
}

// A period is what has happened since the rates were last looked at.
type period struct {
	ns, income float64
	spent      float64
	calls      uint64 // recorded
}

// A site is what is known of the calls of a function.
type site struct {
	level uint8
	rated bool // it is in Controller.rated

	// In the period.
	called bool   // it is in Controller.called
	calls  uint64 // recorded and counted
	closed uint64
	ticks  float64 // of the closed ones, ns
	valued uint64  // events with values
	size   uint64  // bytes of these
	ints   uint64  // integers
	plain  uint64  // calls recorded

	rank   int     // when last looked at
	recent float64 // calls per ns
	peak   float64 // the most of these
	rate   float64 // the same, average
	length float64 // of a call on average, ns; 0: not known
	values float64 // in a call on average, ns by Costs, but for ints
	others float64 // ns of values in a call, besides
	scale  float64 // of values, when they were last recorded

	promoted int64 // when
	retry    int64 // when it may be promoted
	wait     int64 // how long it waits for that

	// While changes are chosen.
	change  int  // number of the site's change, from 1
	further bool // it is demoted by one more move
}

// New returns a controller that lets tracing take a share of the program's own CPU time, as in 0.1.
func New(share float64, costs Costs, start Usage) *Controller {
	c := &Controller{share: share, costs: costs, write: costs.Write, hook: costs.Call, last: start, cpus: 1, usual: 1, crowded: 1}
	c.rate = share
	c.balance = c.income(reserve / 4)
	return c
}

// Seen says what was counted of each site before, since the program began: that is not what tracing
// costs from now on.
func (c *Controller) Seen(counts []uint64) {
	c.grow(len(counts))
	copy(c.counted, counts)
}

// grow makes room for n sites.
func (c *Controller) grow(n int) {
	if more := n - len(c.sites); more > 0 {
		c.sites = append(c.sites, make([]site, more)...)
		c.counted = append(c.counted, make([]uint64, more)...)
		// Functions that are called for the first time make none of these longer: tests count mallocs.
		c.called, c.rated, c.work.news = slices.Grow(c.called, n), slices.Grow(c.rated, n), slices.Grow(c.work.news, n)
	}
}

// income returns what comes in within so much time.
func (c *Controller) income(ns float64) float64 { return ns * c.rate }

// Spent returns what tracing has cost since the start, in ns.
func (c *Controller) Spent() int64 { return int64(c.spent) }

// Usual returns how many CPUs the program usually has, 1/4 to 1, if the budget is strict. It is of CPU time: in so much
// less time of a clock there is so much less to be decided, and to pay for it. Other budgets don't hold where counting
// costs more, and lose nothing for it: 1.
func (c *Controller) Usual() float64 {
	if !c.Strict {
		return 1
	}
	return min(max(c.usual, leastUsual), 1)
}

// Demoted returns the number of sites that are not at level full.
func (c *Controller) Demoted() int { return c.demoted }

// Recent returns how many calls a site had in a ns, when that was last looked at, and how many at most.
func (c *Controller) Recent(id uint32) (calls, most float64) {
	if int(id) < len(c.sites) {
		return c.sites[id].recent, c.sites[id].peak
	}
	return 0, 0
}

// Missed says that so many calls of a site, which will be in Sample.Counts, cost nothing: nobody counted them.
func (c *Controller) Missed(id uint32, calls uint64) {
	if int(id) < len(c.sites) {
		c.counted[id] += calls
	}
}

// Level returns the level of a site.
func (c *Controller) Level(id uint32) uint8 {
	if int(id) < len(c.sites) {
		return c.sites[id].level
	}
	return format.LevelFull
}

// Account takes a sample and changes nothing, at the end of the program.
func (c *Controller) Account(s Sample) { c.account(&s) }

// account adds up what a sample has cost.
func (c *Controller) account(s *Sample) {
	share := c.share
	if c.Strict {
		share *= careful
	}
	ns := float64(s.Now - c.last.Now)
	cpu, own, timer := float64(s.CPU-c.last.CPU), float64(s.Own-c.last.Own), float64(s.Timer-c.last.Timer)
	samples := float64(s.Samples - c.last.Samples)
	c.last = s.Usage
	c.grow(max(len(s.Tallies), len(s.Counts)))
	c.work.news = c.news(s.Counts, cpu)
	recorded, counting, spent := c.take(s)
	if s.Own == 0 { // the system doesn't say what a thread takes
		own = float64(recorded) * c.write
	} else if c.writing.calls, c.writing.ns = c.writing.calls+recorded, c.writing.ns+own; c.writing.calls > enoughCalls/2 {
		// With its part of the wake-ups. Of fewer calls it would be another time each time.
		ns := c.writing.ns / float64(c.writing.calls)
		c.write += (min(ns, 4*c.costs.Write) - c.write) / 4
		if c.Strict {
			c.hook = max(c.hook+(min(partOfWrite*ns, mostOfCall*c.costs.Call)-c.hook)/4, c.costs.Call)
		}
		c.writing = writing{}
	}
	spent += own + timer + samples
	c.spent += spent
	rest := max(cpu-spent, cpu*leastOwn)

	// What counting, samples and deciding cost can't be avoided. It reduces what may be spent on all else.
	fixed := counting + samples + timer
	if c.Strict { // but for counting
		fixed -= counting
	}
	income := max(share*rest-fixed, share*rest*leastElse) + least*ns + c.idle(ns, cpu, rest)
	spent -= fixed
	if c.tests {
		saved := max(min(income/2, mostSaved-c.Saved), 0)
		c.Saved += saved
		income -= saved
	}
	p := &c.seen
	p.ns += ns
	p.income += income
	p.spent += spent
	p.calls += recorded
	if ns > 0 {
		weight := 1 - math.Exp(-ns/longWindow)
		c.rate += (income/ns - c.rate) * weight
		c.cpus += (cpu/ns - c.cpus) * weight
		c.age += ns
		c.usual += (min(cpu/ns, 1) - c.usual) * max(1-math.Exp(-ns/longUsual), ns/c.age)
	}
	c.balance += income
	c.balance -= spent
	c.ahead -= spent
	c.balance = min(c.balance, c.income(reserve))
	if most := c.income(mostDebt); c.balance < -most {
		if c.tests {
			c.Saved = max(c.Saved+c.balance+most, -mostSaved)
		}
		c.balance = -most
	}
}

// Step takes a sample and returns the sites whose levels change. The slice is used again for the
// next decision.
func (c *Controller) Step(s Sample) []Change {
	c.account(&s)
	begun := c.beginning // a test, which has taken what there was for its beginning
	c.beginning = c.beginning && c.ahead >= 0 && c.ahead > c.balance
	begun = begun && !c.beginning
	p := &c.seen
	most := enoughSpent
	if c.Strict {
		most *= littleSpent
	}
	enough := p.calls >= enoughCalls || p.spent >= most || p.ns >= longWindow
	var changes []Change
	switch {
	case c.beginning:
		return nil
	case c.balance < 0 && (enough || begun):
		c.average()
		changes = c.demote()
	case p.ns >= window && enough:
		c.average()
		if c.demoted > 0 && c.balance >= c.income(reserve/2) {
			changes = c.promote()
		}
	default:
		return nil
	}
	c.endPeriod()
	c.switches += len(changes)
	return changes
}

// take adds up the calls of a sample. It returns how many were recorded, what it costs to count all
// of them, and what they have cost the program's goroutines.
func (c *Controller) take(s *Sample) (recorded uint64, counting, spent float64) {
	c.scale.measure(&c.costs, s)
	for i := range s.Tallies {
		t := &s.Tallies[i]
		if t.Calls|t.Closed|t.Valued|t.Ints == 0 {
			continue
		}
		f := c.call(uint32(i))
		f.calls += t.Calls
		f.plain += t.Calls
		f.closed += t.Closed
		f.ticks += float64(t.Ticks) * s.Tick
		f.valued += t.Valued
		f.size += t.ValueBytes
		f.ints += t.Ints
		recorded += t.Calls
		counting += float64(t.Calls) * c.count(f)
		values, others := c.costs.values(t.Valued, t.ValueBytes, t.Ints)
		spent += values*c.scale.now() + others
	}
	for _, i := range c.work.news {
		f, more := c.call(i), s.Counts[i]-c.counted[i]
		calls := float64(more)
		f.calls += more
		c.counted[i] = s.Counts[i]
		if f.level == format.LevelSampled {
			continue
		}
		counting += calls * c.count(f)
		spent += calls * c.count(f)
		if f.level == format.LevelCounted {
			spent += calls * c.beyond(f, format.LevelCounted)
		}
	}
	spent += float64(recorded) * c.hook
	return recorded, counting, spent
}

// news returns the sites of which calls have been counted, and finds what counting a call costs while so many are. Most
// functions of a program are not called at any time: what follows looks at the others only.
func (c *Controller) news(counts []uint64, cpu float64) []uint32 {
	news, calls := c.work.news[:0], 0.0
	for i, n := range counts {
		if more := n - c.counted[i]; more != 0 {
			news = append(news, uint32(i))
			if c.sites[i].level != format.LevelSampled {
				calls += float64(more)
			}
		}
	}
	if calls > 0 && cpu > 0 {
		c.crowded = crowded(calls / cpu)
	}
	return news
}

// call returns the site, of which there is something in the period.
func (c *Controller) call(id uint32) *site {
	f := &c.sites[id]
	if !f.called {
		f.called, c.called = true, append(c.called, id)
	}
	if !f.rated {
		f.rated, c.rated = true, append(c.rated, id)
	}
	return f
}

// average brings up to date what is known of each site that is rated.
func (c *Controller) average() {
	weight := 1 - math.Exp(-c.seen.ns/slow)
	rated := c.rated[:0]
	for _, i := range c.rated {
		f := &c.sites[i]
		if f.rated = f.calls > 0 || f.rate > 0; !f.rated {
			continue
		}
		rated = append(rated, i)
		f.recent = float64(f.calls) / c.seen.ns
		f.peak = max(f.peak, f.recent)
		f.rate += (f.recent - f.rate) * weight
		if f.rate*slow < 0.01 {
			f.rate = 0
		}
		switch {
		case f.closed > 0:
			f.length = f.ticks / float64(f.closed)
		case f.plain > 0 && f.length == 0:
			f.length = c.seen.ns // they take longer than a chunk
		}
		if f.plain > 0 && f.level == format.LevelFull {
			f.values, f.others = c.costs.values(f.valued, f.size, f.ints)
			f.values /= float64(f.plain)
			f.others /= float64(f.plain)
			f.scale = c.scale.now()
		}
	}
	c.rated = rated
}

// endPeriod begins the next period.
func (c *Controller) endPeriod() {
	c.seen = period{}
	for _, i := range c.called {
		f := &c.sites[i]
		f.called, f.calls, f.plain, f.closed, f.ticks, f.valued, f.size, f.ints = false, 0, 0, 0, 0, 0, 0, 0
	}
	c.called = c.called[:0]
}

// count returns what it costs to count a call of the site, ns.
func (c *Controller) count(f *site) float64 {
	cost := c.costs.Counted * c.crowded
	if f.values > 0 {
		cost += c.costs.Unread
	}
	if c.Strict {
		cost *= dear
	}
	return cost
}

// price returns what a call of the site costs at a level more than to count it, ns. With Strict it returns
// what it costs.
func (c *Controller) price(f *site, level uint8) float64 {
	if level == format.LevelSampled {
		return 0
	}
	price := c.beyond(f, level)
	if c.Strict {
		price += c.count(f)
	}
	return price
}

// beyond returns what a call of the site costs at a level more than to count it, ns.
func (c *Controller) beyond(f *site, level uint8) float64 {
	switch level {
	case format.LevelCounted:
		return max(c.costs.Long-c.costs.Counted, 0)
	case format.LevelOnly:
		return 0
	}
	price := max(c.hook+c.write-c.count(f), 0)
	if level == format.LevelFull {
		price += f.values*f.scale + f.others
	}
	return price
}

// predicted returns what the calls in the period would cost with the levels as they are now, more
// than to count them.
func (c *Controller) predicted() float64 {
	cost := 0.0
	for _, i := range c.called {
		if f := &c.sites[i]; f.calls > 0 {
			cost += float64(f.calls) * c.price(f, f.level)
		}
	}
	return cost
}
