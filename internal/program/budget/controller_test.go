package budget

import (
	"math"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
)

const (
	full     = format.LevelFull
	unvalued = format.LevelUnvalued
	counted  = format.LevelCounted
	only     = format.LevelOnly
)

// each runs a test with 20 seeds.
func each(t *testing.T, test func(t *testing.T, random *rand.Rand)) { some(t, 20, test) }

func some(t *testing.T, seeds int, test func(t *testing.T, random *rand.Rand)) {
	for _, n := range seed.List(seeds) {
		test(t, rand.New(rand.NewSource(int64(n))))
		if t.Failed() {
			t.Fatalf("seed %d", n)
		}
	}
}

// tolerance is of a calibration that is wrong by 10 %, and of counted calls.
const tolerance = 1.15

// tiny is a function that recording every call of makes the program 2 to 3 times as slow.
var tiny = function{rate: 0.02, length: 30}

// An interpreter: a tiny function, some that matter, and a long one.
var interpreter = []function{
	tiny,
	{rate: 1e-4, length: 3e3},
	{rate: 1e-6, length: 400e3},
	{rate: 1e-8, length: 50e6},
}

func TestHotFunctionIsCounted(t *testing.T) {
	for _, share := range []float64{0.03, 0.1, 0.5} {
		each(t, func(t *testing.T, random *rand.Rand) {
			// Counting every call of a tiny function costs 8 % by itself.
			s := simulate(t, random, share, interpreter)
			s.functions[0].rate = 0.004
			s.run(100)
			s.mark()
			s.run(2000)
			s.within("after 100 ms", share*tolerance)
			first := uint8(only)
			if share > 0.4 { // recording it costs 25 %
				first = full
			}
			s.levels("in the end", first, full, full, full)
		})
	}
}

// TestCountingCostsMore has a program whose calls cost more to be counted than is allowed:
// functions that are not called often are recorded all the same.
func TestCountingCostsMore(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.1, length: 8}, {rate: 5e-5, length: 20e3}, {rate: 1e-6, length: 400e3}})
		s.run(100)
		s.mark()
		s.run(2000)
		s.within("after 100 ms", 0.1*truth.Counted+0.02)
		s.levels("in the end", only, full, full)
	})
}

// TestFixedCostsMore has the same program with samples of what is only counted, and with a machine
// on which deciding takes long. To pay for these no other function is demoted.
func TestFixedCostsMore(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		for _, fixed := range []struct{ samples, deciding float64 }{{samples: 0.02}, {deciding: 0.02}} {
			s := simulate(t, random, 0.1, []function{{rate: 0.1, length: 8}, {rate: 5e-5, length: 20e3}, {rate: 1e-6, length: 400e3}})
			s.c.Times = true
			s.samples, s.deciding = fixed.samples, fixed.deciding
			s.run(2100)
			s.levels("in the end", only, full, full)
		}
	})
}

// TestNewPhase checks that a new phase is within the budget after 100 ms, also after a long time in
// which nothing was used.
func TestNewPhase(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		var list []function
		for i := 0; i < 30; i++ {
			list = append(list, function{rate: 1e-7, length: 50e3})
		}
		s := simulate(t, random, 0.1, list)
		for i := 0; i < 6; i++ {
			hot := i * 5
			for k := 0; k < 3; k++ {
				s.functions[hot+k].rate = 0.003
				s.functions[hot+k].length = 60
			}
			s.run(100)
			s.mark()
			s.run(1000)
			s.within("phase", 0.1*tolerance)
			for k := 0; k < 3; k++ {
				s.functions[hot+k] = function{rate: 1e-7, length: 50e3}
			}
		}
	})
}

// TestReaction checks what a phase costs from its beginning on.
func TestReaction(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 1e-6, length: 5e3}, {rate: 1e-9, length: 80}})
		s.run(500)
		s.functions[1].rate = 0.01
		s.mark()
		s.run(100)
		// What was saved up before, and what came in.
		s.within("the first 100 ms", 0.2)
		s.levels("after them", full, only)
	})
}

// TestAlternatingPhases checks that phases that alternate change levels seldom.
func TestAlternatingPhases(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 1e-6, length: 5e3}, tiny, tiny})
		s.functions[1].rate, s.functions[2].rate = 0.01, 0.01
		for i := 0; i < 400; i++ { // 20 s
			s.functions[1+i%2].rate, s.functions[2-i%2].rate = 0.01, 0
			if i == 2 {
				s.mark()
			}
			s.run(50)
		}
		s.within("alternating", 0.1*tolerance)
		if n := s.mostChanges(); n > 20 {
			t.Errorf("a site changed %d times in 20 s, want 20 at most: %v", n, s.last())
		}
		t.Logf("%d changes of the same site", s.mostChanges())
	})
}

func TestEquallyHot(t *testing.T) {
	some(t, 4, func(t *testing.T, random *rand.Rand) {
		list := make([]function, 10_000)
		for i := range list {
			list[i] = function{rate: 0.02 / 10_000, length: 100}
		}
		s := simulate(t, random, 0.2, list) // counting costs 8 %
		s.run(100)
		s.mark()
		s.run(300)
		s.within("after 100 ms", 0.2*tolerance)
		n := 0
		for i := range list {
			if s.c.Level(uint32(i+1)) == full {
				n++
			}
		}
		// 12 % are left for the difference of 59 ns: 10 % of the calls.
		t.Logf("%d functions are recorded", n)
		if n < 400 || n > 1100 {
			t.Errorf("%d functions of 10000 are recorded, want 400 to 1100", n)
		}
		if m := s.mostChanges(); m > 4 {
			t.Errorf("a site changed %d times in 0.4 s, want 4 at most", m)
		}
	})
}

func TestOneFunction(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.005, length: 100}})
		s.run(100)
		s.mark()
		s.run(3000)
		s.within("after 100 ms", 0.1*tolerance)
		s.levels("in the end", only)
		s.functions[0].rate = 1e-4
		s.run(10_000)
		s.levels("when it was called less often for long", full)
	})
}

func TestLargeBudgetDemotesNothing(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 10, interpreter)
		s.run(1000)
		if len(s.changes) > 0 {
			t.Errorf("changes with a budget of 1000 %%: %v", s.changes)
		}
	})
}

func TestNoBudgetCountsAll(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0, interpreter)
		s.run(500)
		s.levels("with a budget of 0", only, only, full, full) // long calls are recorded anyway
	})
}

// TestValuesFirst checks that functions lose their values before their events, where that suffices.
func TestValuesFirst(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.001, length: 800, bytes: 200}, {rate: 1e-6, length: 5e3, bytes: 10}})
		s.run(100)
		s.mark()
		s.run(1000)
		s.within("after 100 ms", 0.1*tolerance)
		s.levels("in the end", unvalued, full)
	})
}

// TestLongCallsLast checks that of functions that cost the same, the one with the longest calls
// tells most.
// TestDearValues checks that the budget holds if values cost other than Costs says, as what they cost
// is measured.
func TestDearValues(t *testing.T) {
	for _, dear := range []float64{0.3, 3, 8} {
		each(t, func(t *testing.T, random *rand.Rand) {
			s := simulate(t, random, 0.1, []function{
				{rate: 2e-4, length: 2e3, bytes: 60},
				{rate: 1e-4, length: 5e3, bytes: 300},
				{rate: 1e-5, length: 50e3, bytes: 1000},
				{rate: 1e-3, length: 300},
			})
			s.dear = dear
			s.run(300)
			s.mark()
			spent := s.c.Spent()
			s.run(3000)
			reckoned := float64(s.c.Spent()-spent) / s.tracing
			s.within("dear values", 0.1*tolerance)
			if reckoned < 0.8 || reckoned > 1.25 {
				t.Errorf("values that cost %v times as much: %.2f of the cost is known, want 0.8 to 1.25", dear, reckoned)
			}
		})
	}
}

func TestLongCallsLast(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.001, length: 5e3}, {rate: 0.001, length: 500}, {rate: 0.001, length: 50}})
		s.run(2000)
		if level := s.c.Level(2); level < counted {
			t.Errorf("the second function has level %d, want %d or %d", level, counted, only)
		}
		s.levels("in the end", full, s.c.Level(2), only)
	})
}

func TestNamedLast(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.001, length: 50}, {rate: 0.001, length: 5e3}, {rate: 0.001, length: 10e3}})
		s.c.Rank = func(site uint32) int {
			if site == 1 {
				return 1
			}
			return 0
		}
		s.run(2000)
		s.levels("in the end", full, max(s.c.Level(2), counted), max(s.c.Level(3), counted))
	})
}

// TestCoresAndLoad changes what the program gets: GOMAXPROCS, and other load.
func TestCoresAndLoad(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, interpreter)
		s.functions[0].rate = 0.004
		s.run(200)
		s.mark()
		for i := 0; i < 40; i++ {
			s.cores = []float64{1, 4, 0.3, 2}[i%4]
			s.run(200)
		}
		s.within("with 1, 4, 0.3 and 2 cores", 0.1*tolerance)
		if n := s.mostChanges(); n > 4 {
			t.Errorf("a site changed %d times, want 4 at most: %v", n, s.last())
		}
		s.levels("in the end", only, full, full, full)
	})
}

// TestMostlyIdle has a service that waits most of the time: it keeps all events.
func TestMostlyIdle(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 2e-4, length: 2e3}, {rate: 1e-5, length: 50e3}})
		s.busy = 0.02
		s.run(5000)
		if len(s.changes) > 0 {
			t.Errorf("changes: %v", s.changes)
		}
	})
}

// TestRandomPrograms checks random programs with phases: within the budget or all counted, and no
// site changes often.
func TestRandomPrograms(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		list := make([]function, 1+random.Intn(300))
		share := []float64{0.03, 0.1, 0.3}[random.Intn(3)]
		s := simulate(t, random, share, list)
		for phase := 0; phase < 5; phase++ {
			weight := 0.0
			for i := range list {
				f := &list[i]
				f.rate = random.ExpFloat64() * random.ExpFloat64()
				f.length = 20 * random.ExpFloat64() * float64(int(1)<<random.Intn(16))
				if f.bytes = 0; random.Intn(3) == 0 {
					f.bytes = random.Float64() * 100
				}
				weight += f.rate
			}
			total := share / truth.Counted * 0.5 * random.Float64() // counting all takes half of the budget at most
			for i := range list {
				list[i].rate *= total / weight
			}
			s.run(100)
			s.mark()
			s.run(2000)
			long := 0.0 // cost of functions that stay, as all of their calls are long
			for i := range list {
				if f := &list[i]; f.length >= LongCall {
					long += f.rate * (truth.Call + truth.Write)
				}
			}
			s.within("phase", share*tolerance+long)
		}
		if n := s.mostChanges(); n > 30 {
			t.Errorf("a site changed %d times in 10 s, want 30 at most: %v", n, s.last())
		}
		t.Logf("%d changes, of the same site at most %d", len(s.changes), s.mostChanges())
	})
}

// TestDebts has a suite whose tests each call other functions: the cost of a test is known when it is over.
// Tests that begin take as much again as the budget, and then what is known too late.
func TestDebts(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, make([]function, 1000))
		run := func(tests int) {
			for ; tests > 0; tests-- {
				for i := range s.functions {
					s.functions[i] = function{length: 300, bytes: 200}
				}
				for n := 0; n < 200; n++ {
					s.functions[random.Intn(1000)].rate = 1e-4
				}
				s.c.Fresh(false)
				s.run(4)
			}
		}
		run(50)
		s.mark()
		ahead := s.c.Saved
		run(1000)
		s.within("tests of 4 ms", 3*0.1*tolerance+ahead/s.base)
	})
}

// Subtests leave a half of what is saved for the beginnings of tests. Tests are granted what isn't saved,
// until that is as much as the budget of all.
func TestFreshSubtest(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		for _, c := range []struct {
			saved, granted float64
			subtest        bool
			fresh          bool
		}{
			{leftBySubtests, 0, true, false}, {2 * leftBySubtests, 0, true, true},
			{0, 0, false, true}, {0, 1e9, false, false}, {leftBySubtests, 1e9, false, true},
		} {
			s := simulate(t, random, 0.1, interpreter)
			s.functions[0].rate = 0.004
			s.run(20)
			s.c.tests, s.c.Saved, s.c.granted = true, c.saved, c.granted
			if changes := s.c.Fresh(c.subtest); len(changes) > 0 != c.fresh {
				t.Errorf("%g ns saved, %g granted, subtest %t: %v, want changes: %t", c.saved, c.granted, c.subtest, changes, c.fresh)
			}
		}
	})
}

// A test that sleeps most of the time is recorded in full, for ever. That holds although another
// test, which takes all that the budget has, runs before each run of it.
func TestSleepers(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{{rate: 0.01, length: 30, bytes: 50}, {rate: 1e-4, length: 3e3, bytes: 50}})
		for i := 0; i < 300; i++ {
			s.busy, s.functions[0].rate = 1, 0.01
			s.c.Fresh(false)
			s.run(20) // it polls
			s.busy, s.functions[0].rate = 0.01, 1e-3
			s.c.Fresh(false)
			for ms := 0; ms < 100; ms++ {
				s.run(1)
				if s.c.Demoted() > 0 {
					t.Fatalf("run %d of the test that sleeps, after %d ms: %d functions demoted, want none", i, ms, s.c.Demoted())
				}
			}
		}
		s.within("the suite", 0.1*tolerance*float64(s.usage.Now)/s.base+testsAhead/s.base)
	})
}

// TestFresh checks that all functions are recorded again when a test begins, unless the tests
// before it have taken too much.
func TestFresh(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, interpreter)
		s.functions[0].rate = 0.004
		s.run(20)
		s.levels("a test has begun", only, full, full, full)
		s.c.tests, s.c.granted = true, 1e9
		if changes := s.c.Fresh(false); changes != nil {
			t.Errorf("changes while the account is empty: %v", changes)
		}
		s.run(1000)
		if changes := s.c.Fresh(false); len(changes) != 1 || changes[0] != (Change{1, full}) {
			t.Errorf("changes when the account is full: %v", changes)
		}
		s.levels("the next test", full, full, full, full)
		s.mark()
		s.run(1000)
		s.within("the next test", 0.1*tolerance)
		s.mark()
		saved := s.c.Saved
		for i := 0; i < 1000; i++ { // tests of 5 ms
			s.c.Fresh(false)
			s.run(5)
		}
		s.within("short tests", 0.1*tolerance+saved/s.base)
	})
}

// TestBeginnings checks that tests are recorded from their beginning on after a test that took much
// more than the budget. That is paid from what was saved, and it ends.
func TestBeginnings(t *testing.T) {
	each(t, func(t *testing.T, random *rand.Rand) {
		s := simulate(t, random, 0.1, []function{tiny, {rate: 1e-4, length: 3e3}})
		s.c.Fresh(false)
		s.run(50)
		s.levels("the first test goes on", only, full)
		for i := 0; i < 20; i++ {
			s.c.Fresh(false)
			s.levels("a test begins", full, full)
			s.run(1)
			s.levels("it ends", full, full)
			s.c.Fresh(false)
			s.run(50)
			s.levels("a test goes on", only, full)
		}
		begun := 0
		s.mark()
		const n = 5000
		for i := 0; i < n; i++ { // tests of 2 ms, of which each takes more than the budget
			s.c.Fresh(false)
			if s.c.Level(1) == full {
				begun++
			}
			s.run(2)
		}
		s.within("many tests", 2*0.1*tolerance+testsAhead/s.base)
		if begun == n {
			t.Error("all tests were recorded from their beginning on: the budget did nothing")
		}
	})
}

// What was counted before the controller began costs it nothing.
func TestSeen(t *testing.T) {
	c := New(0.1, Costs{Call: 30, Counted: 3}, Usage{})
	c.Seen([]uint64{0, 1e12})
	c.Account(Sample{Usage: Usage{Now: 1e9, CPU: 1e9, Own: 1}, Tick: 1, Counts: []uint64{0, 1e12 + 1000}})
	if got := c.Spent(); got < 3000 || got > 3010 {
		t.Errorf("%d ns for 1000 calls at 3 ns, want 3000, and what writing took", got)
	}
}

// What it takes to write a call is measured, however few of them are written at a time.
func TestWriting(t *testing.T) {
	c := New(0.1, Costs{Call: 30, Write: 10}, Usage{})
	for i := int64(1); i <= 1000; i++ {
		c.Account(Sample{Usage: Usage{Now: i * 20e6, CPU: i * 20e6, Own: i * 100 * 25}, Tick: 1, Tallies: []format.Tally{{Calls: 100}}})
	}
	if c.write < 20 || c.write > 25 {
		t.Errorf("to write a call takes %.1f ns, want nearly 25", c.write)
	}
}

// Where writing takes long, memory is cold, and calls take long in the program, too.
func TestCold(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := New(0.1, Costs{Call: 50, Write: 25}, Usage{})
		c.Strict = strict
		for i := int64(1); i <= 500; i++ {
			c.Account(Sample{Usage: Usage{Now: i * 20e6, CPU: i * 20e6, Own: i * 1000 * 300}, Tick: 1, Tallies: []format.Tally{{Calls: 1000}}})
		}
		want := 50.0
		if strict {
			want = partOfWrite * 300
		}
		if math.Abs(c.hook-want) > 1 {
			t.Errorf("strict %t: a recorded call takes %v ns in the program, want %v", strict, c.hook, want)
		}
	}
}

// The CPUs that a program usually has are known after some seconds, and never less than a quarter of one.
func TestUsual(t *testing.T) {
	for _, test := range []struct{ cpus, want float64 }{{0.01, 0.25}, {0.4, 0.4}, {2, 1}} {
		c := New(0.1, Costs{Call: 30}, Usage{})
		c.Strict = true
		for i := int64(1); i <= 100; i++ {
			c.Account(Sample{Usage: Usage{Now: i * 20e6, CPU: int64(float64(i) * 20e6 * test.cpus)}, Tick: 1})
		}
		if got := c.Usual(); got < test.want*0.99 || got > test.want*1.01 {
			t.Errorf("a program that has %v CPUs usually has %.2f, want %v", test.cpus, got, test.want)
		}
		if c.Strict = false; c.Usual() != 1 {
			t.Errorf("without a strict budget it has %.2f, want 1", c.Usual())
		}
	}
}

// Where the system doesn't say what a thread takes, writing costs what was reckoned.
func TestNoThreadTimes(t *testing.T) {
	c := New(0.1, Costs{Call: 30, Write: 10}, Usage{})
	for i := int64(1); i <= 100; i++ {
		c.Account(Sample{Usage: Usage{Now: i * 1e6, CPU: i * 1e6}, Tick: 1, Tallies: []format.Tally{{Calls: 100_000}}})
	}
	if got := c.Spent(); got != 100*100_000*40 {
		t.Errorf("%d ns for calls at 30 ns and 10 of writing, want %d", got, 100*100_000*40)
	}
}
