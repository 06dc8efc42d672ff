package recorder

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// A demoter is what the switchboard is for a budget: it remembers the levels of sites.
type demoter struct {
	mu     sync.Mutex
	levels map[uint32]uint8
	window bool // goes on
	ended  int  // windows
	over   int
	hook   func() // called when a site has got a level
}

func (d *demoter) govern() Govern {
	return Govern{
		Limit: func(site uint32, level uint8) {
			d.mu.Lock()
			d.levels[site] = level
			hook := d.hook
			d.mu.Unlock()
			if hook != nil {
				hook()
			}
		},
		Sample: func(group uint32) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.window && group == 0 {
				d.ended++
			}
			d.window = 0 < group && group <= format.SampleGroups
		},
		Rank: func(uint32) int { return 0 },
		Over: func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.over++
		},
	}
}

func (d *demoter) level(site uint32) uint8 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.levels[site]
}

// governed begins a recording with a budget, in a program whose calls cost much.
func governed(t *testing.T, c Config) (*fake, *demoter, *Recorder) {
	t.Helper()
	f, d := newFake(t), &demoter{levels: make(map[uint32]uint8)}
	f.reads = 200 * time.Nanosecond
	f.pkg("m", 2)
	c.Govern = d.govern()
	if err := set(&c, "budget", "1%"); err != nil {
		t.Fatal(err)
	}
	return f, d, f.start(c)
}

func set(c *Config, key, value string) error {
	v, err := setting.Find(key).Parse(key, value)
	if err == nil && !c.Set(key, v) {
		err = errors.New("no setting of recordings: " + key)
	}
	return err
}

// calls makes n calls of a site as they are made at its level.
func (f *fake) calls(d *demoter, site uint32, n int) {
	for ; n > 0; n-- {
		if d.level(site) >= format.LevelCounted {
			f.mu.Lock()
			if f.counts == nil {
				f.counts = make(map[uint32]uint64)
			}
			f.counts[site]++
			f.mu.Unlock()
		} else {
			f.call(1, 1, site, 1)
		}
	}
}

// untilCounted makes calls of a site until it is counted only, and returns how many.
func untilCounted(t *testing.T, f *fake, d *demoter, site uint32) (n int) {
	t.Helper()
	for began := time.Now(); d.level(site) < format.LevelCounted; n += 1000 {
		f.calls(d, site, 1000)
		if time.Since(began) > time.Minute {
			t.Fatalf("site %d has level %d after %d calls", site, d.level(site), n)
		}
	}
	return n
}

// demoted returns the calls of a function in a file, by their events and by counts, and its levels.
func demoted(t *testing.T, path string, site uint32) (recorded, counted uint64, levels []uint8) {
	t.Helper()
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if ev.Kind == tracefile.Enter && ev.Site == site {
			recorded++
		}
	}
	for _, d := range f.Demotions() {
		if d.Func == site {
			counted += d.Calls
			levels = append(levels, uint8(d.Level))
		}
	}
	return recorded, counted, levels
}

// A function that costs too much is demoted, no call is missing, and the file says it all.
func TestBudget(t *testing.T) {
	f, d, r := governed(t, Config{})
	if f.pace == 0 {
		t.Error("the writer is not woken by time")
	}
	f.call(1, 1, 2, 10)
	n := untilCounted(t, f, d, 1)
	f.calls(d, 1, 5000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	recorded, counted, levels := demoted(t, r.Path(), 1)
	if recorded+counted != uint64(n+5000) || counted < 4000 || len(levels) == 0 || levels[0] < format.LevelCounted {
		t.Errorf("%d calls are recorded and %d counted, levels %v; want %d together, from level %d on",
			recorded, counted, levels, n+5000, format.LevelCounted)
	}
	if recorded, counted, levels := demoted(t, r.Path(), 2); recorded != 10 || counted != 0 || levels != nil {
		t.Errorf("a function that is seldom called: %d calls are recorded and %d counted, levels %v; want 10, 0, none", recorded, counted, levels)
	}
	meta := read(t, r.Path()).meta
	var cpu, tracing int64
	fmt.Sscan(meta(format.MetaCPU), &cpu)
	fmt.Sscan(meta(format.MetaTracing), &tracing)
	if meta(format.MetaBudget) != "1%" || tracing <= 0 || cpu < tracing {
		t.Errorf("budget %q, %d ns of %d; want 1%%, and some of more", meta(format.MetaBudget), tracing, cpu)
	}
	if d.over != 0 {
		t.Errorf("the recording was over %d times by itself, want 0", d.over)
	}
}

// A strict budget decides again when many events were written, however soon that is.
func TestRushed(t *testing.T) {
	_, _, r := governed(t, Config{})
	defer r.Close()
	g := r.governor
	for _, strict := range []bool{false, true} {
		g.mu.Lock()
		g.between = 1 << 62
		g.mu.Unlock()
		r.mu.Lock()
		r.config.Budget.Strict = strict
		r.encoded = g.decided + 1<<13
		r.mu.Unlock()
		r.control()
		r.mu.Lock()
		if decided := g.decided == r.encoded; decided != strict {
			t.Errorf("strict %t: it has decided: %t", strict, decided)
		}
		r.mu.Unlock()
	}
}

// Windows begin and end while a writer has the recorder's lock for long. Else all calls would be recorded until it is
// done, and it would have those to write, too.
func TestWindowsBesideTheWriter(t *testing.T) {
	f, d, r := governed(t, Config{})
	defer r.Close()
	untilCounted(t, f, d, 1)
	beside := func() bool {
		r.mu.Lock() // the pacer may be about to decide, and wait for it
		defer r.mu.Unlock()
		d.mu.Lock()
		window, ended := d.window, d.ended
		d.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
		d.mu.Lock()
		defer d.mu.Unlock()
		return !window && d.ended > ended
	}
	for i := 0; !beside(); i++ {
		if i == 500 {
			t.Fatalf("no window begins and ends while somebody has the lock, and the function has level %d", d.level(1))
		}
		f.calls(d, 1, 1000)
		time.Sleep(time.Millisecond)
	}
}

// A recording that ends while functions are demoted says what was counted, and at which level.
func TestBudgetEndsAmidDecision(t *testing.T) {
	f, d, r := governed(t, Config{})
	closed := make(chan error, 1)
	d.hook = sync.OnceFunc(func() {
		f.calls(d, 1, 5000)
		closed <- r.Close()
	})
	for open := true; open; {
		select {
		case err := <-closed:
			if open = false; err != nil {
				t.Fatal(err)
			}
		default:
			f.call(1, 1, 1, 1000)
		}
	}
	if _, counted, levels := demoted(t, r.Path(), 1); counted != 5000 || len(levels) != 1 || levels[0] < format.LevelCounted {
		t.Errorf("%d calls are counted, levels %v; want 5000, from level %d on", counted, levels, format.LevelCounted)
	}
}

// Calls are counted for the recording that is going on only.
func TestBudgetOfEachRecording(t *testing.T) {
	f, d, r := governed(t, Config{})
	n := untilCounted(t, f, d, 1)
	f.calls(d, 1, 1000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	recorded, counted, _ := demoted(t, r.Path(), 1)
	if recorded+counted != uint64(n+1000) {
		t.Errorf("the first recording has %d calls, want %d", recorded+counted, n+1000)
	}
	f.calls(d, 1, 77) // counted between the recordings
	d.levels = make(map[uint32]uint8)
	c := Config{Govern: d.govern()}
	set(&c, "budget", "1%")
	r = f.start(c)
	n = untilCounted(t, f, d, 1)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	recorded, counted, _ = demoted(t, r.Path(), 1)
	if recorded+counted != uint64(n) {
		t.Errorf("the second recording has %d calls, want %d", recorded+counted, n)
	}
}

// With a budget of 0 all calls are counted, those of a test that fails apart.
func TestBudgetCountsOnly(t *testing.T) {
	f, d := newFake(t), &demoter{levels: map[uint32]uint8{1: format.LevelOnly}}
	f.pkg("m", 2)
	c := Config{Govern: d.govern()}
	set(&c, "budget", "0")
	r := f.start(c)
	f.calls(d, 1, 30)
	f.test(uint8(format.TestBegins), "TestA", "", 1, 1000)
	f.calls(d, 1, 4)
	f.test(uint8(format.TestFails), "TestA", "", 1, 2000)
	f.calls(d, 1, 500)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := tracefile.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	total := uint64(0)
	for _, d := range file.Demotions() {
		if total += d.Calls; d.Level < format.LevelCounted || d.Func != 1 {
			t.Errorf("%+v, want function 1 at level %d", d, format.LevelOnly)
		}
	}
	if total != 534 {
		t.Errorf("%d calls are counted, want 534", total)
	}
	b, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	var counts []uint64 // in blocks
	for at := format.HeaderSize; at < len(b); {
		block, err := format.ParseBlock(b[at:])
		if err != nil {
			t.Fatal(err)
		}
		if block.Kind == format.BlockCounts {
			_, list, err := format.ParseCounts(b[at+format.BlockHeader:][:block.Length])
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				counts = append(counts, c.Calls)
			}
		}
		at += format.BlockHeader + block.Length
	}
	sum, at := uint64(0), make(map[uint64]bool)
	for _, n := range counts {
		sum += n
		at[sum] = true
	}
	if !at[30] || !at[34] || !at[534] {
		t.Errorf("counts %v, want sums of 30 at the beginning of the test, 34 at its end, and 534", counts)
	}
}

// Each part of a rotated recording begins with the levels then, and counts add up over the parts.
func TestBudgetRotated(t *testing.T) {
	f, d, r := governed(t, Config{MaxSize: 100e3, Rotate: 1000})
	n := untilCounted(t, f, d, 1)
	f.calls(d, 1, 1000)
	m := 0
	for before := len(Parts(r.Path())); len(Parts(r.Path())) < before+3; m += 1000 {
		f.call(1, 1, 2, 1000)
		f.calls(d, 1, 10)
		n += 10
	}
	n += 1000
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var recorded, counted uint64
	files := append(Parts(r.Path()), r.Path())
	for i, path := range files {
		r, c, levels := demoted(t, path, 1)
		recorded, counted = recorded+r, counted+c
		if i >= len(files)-2 && (len(levels) == 0 || levels[0] < format.LevelCounted) {
			t.Errorf("part %d begins with levels %v, want %d", i, levels, format.LevelCounted)
		}
	}
	if recorded+counted != uint64(n) {
		t.Errorf("%d calls are recorded and %d counted, want %d together", recorded, counted, n)
	}
}

// A recording that ends by itself wants nothing any more.
func TestBudgetFull(t *testing.T) {
	f, d, r := governed(t, Config{MaxSize: 100e3})
	for !r.Ended() {
		f.call(1, 1, 2, 1000)
	}
	f.wait("the end of the recording", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.over == 1
	})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(r.Path()); err != nil || fi.Size() > 100e3 {
		t.Errorf("%v, %v; want 100000 bytes at most", fi, err)
	}
}

// A ring has no budget.
func TestBudgetOfRing(t *testing.T) {
	c := Config{Overflow: rt.Ring}
	set(&c, "budget", "3%")
	if err := c.Check(); err == nil || err.Error() != "budget=3%: want overflow=block or drop with it: nobody looks at the calls in a ring" {
		t.Errorf("%v", err)
	}
}

// Deciding, and noting levels and counts, allocates nothing once its memory has grown: tests count
// the mallocs of the process.
func TestBudgetNoMallocs(t *testing.T) {
	f, d, r := governed(t, Config{})
	untilCounted(t, f, d, 1)
	changes := []budget.Change{{Site: 1, Level: format.LevelOnly}, {Site: 2, Level: format.LevelFull}}
	noted := 0
	n := testing.AllocsPerRun(50, func() {
		f.calls(d, 1, 100)
		r.governor.mu.Lock() // the pacer may decide at any time
		r.governor.stepped = 0
		r.governor.mu.Unlock()
		r.control()
		r.locked(func() {
			before := len(r.out.buf)
			r.noteCounts(1, changes)
			noted += len(r.out.buf) - before
			r.flush()
		})
		r.turnOfTest(format.TestBegins, "TestA", 1)
	})
	r.Close()
	if n != 0 || noted == 0 {
		t.Errorf("%v mallocs, %d bytes of counts; want 0, some", n, noted)
	}
}
