package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
	readable "github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// say has package testing tell what happens to a test on a goroutine.
func (f *fake) say(state format.TestState, name string, goroutine uint64) {
	f.mu.Lock()
	now := f.now()
	f.mu.Unlock()
	f.test(uint8(state), name, "", goroutine, now)
}

// idle waits until all full chunks are written.
func (f *fake) idle(r *Recorder) {
	f.t.Helper()
	f.wait("full chunks are written", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, full := f.Queue()
		return full == 0
	})
}

// Events of tests that pass are given back, those of tests that fail stay, and the file has the size
// of what stays.
func TestGiveBack(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 2)
	r := f.start(Config{Disk: 1e9})
	const tests, calls = 40, 100_000
	largest := int64(0)
	for i := 0; i < tests; i++ {
		name, goroutine := fmt.Sprint("Test", i), uint64(10+i)
		f.say(format.TestBegins, name, goroutine)
		site, end := uint32(1), format.TestPasses
		if i == 20 {
			site, end = 2, format.TestFails
		}
		f.call(0, goroutine, site, calls)
		f.say(end, name, goroutine)
		f.idle(r)
		fi, err := os.Stat(r.Path())
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, fi.Size())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, r.Path())
	if c.info.Damaged != 0 || c.info.Lost != 0 || !c.info.Complete || c.info.Events+c.info.GivenBack != 2*tests*calls {
		t.Errorf("%+v; want a complete one with %d events that are there or were given back", c.info, 2*tests*calls)
	}
	if c.calls["p.Fb"] != calls || c.calls["p.Fa"] > 2*calls {
		t.Errorf("calls %v; want all %d of the test that failed, and nearly none of others", c.calls, calls)
	}
	// A test takes a byte or two for an event, and a few tests are there at a time.
	if limit := int64(5 * 2 * 3 * calls); largest > limit {
		t.Errorf("the file had %d bytes, want less than %d", largest, limit)
	}
	if len(c.tests) != 2*tests {
		t.Errorf("%d events of tests, want %d", len(c.tests), 2*tests)
	}
}

// Of a test that runs long the beginning, the time before its failure and the end stay, and the file
// says what is missing.
func TestGiveBackMiddle(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 5)
	r := f.start(Config{Disk: 1e9})
	r.giver.head, r.giver.tail, r.giver.rest = 100<<10, 400<<10, 100<<10
	f.say(format.TestBegins, "TestLong", 7)
	largest := int64(0)
	phase := func(site uint32, calls int) {
		for ; calls > 0; calls -= 20_000 {
			f.call(0, 7, site, min(calls, 20_000))
			f.idle(r)
			fi, err := os.Stat(r.Path())
			if err != nil {
				t.Fatal(err)
			}
			largest = max(largest, fi.Size())
		}
	}
	const much = 800_000
	phase(1, 1000)
	phase(2, much)
	phase(3, 1000)
	f.say(format.TestErrs, "TestLong", 7)
	phase(4, much)
	phase(5, 1000)
	f.say(format.TestFails, "TestLong", 7)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, r.Path())
	if c.info.Damaged != 0 || c.info.Events+c.info.GivenBack != 2*(2*much+3000) {
		t.Errorf("%+v; want %d events that are there or were given back", c.info, 2*(2*much+3000))
	}
	for _, name := range []string{"p.Fa", "p.Fc", "p.Fe"} {
		if c.calls[name] != 1000 {
			t.Errorf("%d calls of %s, want 1000: at the beginning, before the failure, at the end", c.calls[name], name)
		}
	}
	for _, name := range []string{"p.Fb", "p.Fd"} {
		if n := c.calls[name]; n < 10_000 || n > much*3/4 {
			t.Errorf("%d calls of %s, want some of %d", n, name, much)
		}
	}
	if limit := int64(3 << 20); largest > limit {
		t.Errorf("the file had %d bytes, want less than %d", largest, limit)
	}
	file, err := tracefile.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	gaps := file.Gaps()
	sum := uint64(0)
	for _, g := range gaps {
		sum += g.Events
		if g.Test != gaps[0].Test || g.From >= g.To {
			t.Errorf("a gap of test %d from %d to %d", g.Test, g.From, g.To)
		}
		if !g.Over(7, g.To+1, 100, 2) && !g.Over(7, g.To+1, 100, 4) || g.Over(7, g.To+1, 99, 2) {
			t.Errorf("%+v: want calls with token 100 over, and those of callers not", g)
		}
	}
	if len(gaps) != 2 || sum != c.info.GivenBack {
		t.Errorf("%d gaps of %d events, want two, before the failure and after, of %d", len(gaps), sum, c.info.GivenBack)
	}
}

// A test keeps what it did before it waited for its turn, and nothing of the time in between. The
// start of a goroutine that goes on is known, although the test passed that started it.
func TestGiveBackParallel(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 4)
	r := f.start(Config{Disk: 1e9})
	const calls = 300_000
	f.say(format.TestBegins, "TestP", 7)
	f.call(0, 7, 1, 100)
	f.say(format.TestPauses, "TestP", 7)
	f.say(format.TestBegins, "TestS", 8)
	f.event(0, 9, code(format.CodeStart)|8)
	f.event(0, 10, code(format.CodeStart)|8)
	f.event(0, 10, code(format.CodeEnd))
	many := func(goroutine uint64) { // what is written together stays together: on a busy machine much is
		for n := 0; n < calls; n += calls / 30 {
			f.call(0, goroutine, 2, calls/30)
			f.idle(r)
		}
	}
	many(8)
	f.say(format.TestPasses, "TestS", 8)
	f.idle(r)
	f.say(format.TestBegins, "TestQ", 11)
	f.say(format.TestContinues, "TestP", 7)
	f.call(0, 7, 3, 100)
	f.call(1, 11, 4, calls) // beside TestP
	f.say(format.TestPasses, "TestQ", 11)
	f.call(0, 9, 3, 100)
	f.say(format.TestFails, "TestP", 7)
	f.idle(r)
	f.say(format.TestBegins, "TestT", 12)
	many(12)
	f.say(format.TestPasses, "TestT", 12)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := tracefile.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wantStart(t, file, 9, 8)
	c := read(t, r.Path())
	if c.calls["p.Fa"] != 100 || c.calls["p.Fc"] != 200 || c.calls["p.Fd"] != calls || c.calls["p.Fb"] > calls/2 {
		t.Errorf("calls %v; want 100 of Fa, 200 of Fc and %d of Fd, nearly none of Fb", c.calls, calls)
	}
	if len(file.Gaps()) != 0 {
		t.Errorf("gaps %v, want none", file.Gaps())
	}
}

// wantStart looks for the start of a goroutine, and who started it.
func wantStart(t *testing.T, f *tracefile.File, goroutine, parent uint64) {
	t.Helper()
	started := make(map[uint64]uint64)
	if err := f.Starts(func(ev *tracefile.Event) { started[ev.Goroutine] = ev.Value }); err != nil {
		t.Fatal(err)
	}
	if started[goroutine] != parent {
		t.Errorf("goroutines and their parents: %v, want %d of %d", started, goroutine, parent)
	}
}

// A kill when space has just been given back leaves the start of a goroutine that goes on.
func TestGiveBackStarts(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{Disk: 1e9})
	f.say(format.TestBegins, "TestS", 8)
	f.event(0, 9, code(format.CodeStart)|8)
	f.call(0, 8, 1, 20_000)
	f.say(format.TestPasses, "TestS", 8)
	f.idle(r)
	to := filepath.Join(t.TempDir(), "a.wmt")
	r.mu.Lock()
	err := r.giveBack()
	given := r.giver.given
	b, err1 := os.ReadFile(r.Path())
	r.mu.Unlock()
	if err2 := r.Close(); err != nil || err1 != nil || err2 != nil || given == 0 {
		t.Fatalf("%d events were given back, %v, %v, %v; want some", given, err, err1, err2)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := tracefile.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wantStart(t, file, 9, 8)
}

// Many tests that fail share the space: each keeps less.
func TestGiveBackShares(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	const most = 20 << 20 // with half of it for others, and the buffers
	r := f.start(Config{Disk: most})
	r.giver.head, r.giver.tail, r.giver.rest = 4<<20, 16<<20, 4<<20 // windows that are too large for it
	largest := int64(0)
	for i := 0; i < 20; i++ {
		name := fmt.Sprint("Test", i)
		f.say(format.TestBegins, name, 7)
		for j := 0; j < 10; j++ {
			f.call(0, 7, 1, 20_000)
			f.idle(r)
			fi, err := os.Stat(r.Path())
			if err != nil {
				t.Fatal(err)
			}
			largest = max(largest, fi.Size())
		}
		f.say(format.TestFails, name, 7)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if largest > most/2 {
		t.Errorf("the file had %d bytes, want at most %d", largest, most/2)
	}
	file, err := tracefile.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Verify()
	if err != nil || info.Damaged > 0 || info.Events+info.GivenBack != 2*20*10*20_000 {
		t.Errorf("%+v, %v; want %d events that are there or were given back", info, err, 2*20*10*20_000)
	}
	short := make(map[uint64]bool)
	for _, g := range file.Gaps() {
		short[g.Test] = true
	}
	if len(short) < 10 {
		t.Errorf("%d tests lack events, want nearly all", len(short))
	}
}

// At every moment the file is whole, whatever the tests do, and has all of those that run or failed.
func TestGiveBackAnyMoment(t *testing.T) {
	random := seed.Rand(t, uint64(time.Now().UnixNano()))
	f := newFake(t)
	f.pkg("p", 200)
	r := f.start(Config{Disk: 1e9})
	type test struct {
		name  string
		site  uint32
		calls int
	}
	var running, failed []*test
	site := uint32(0)
	total := 0
	for i := 0; i < 300; i++ {
		switch n := random.Intn(10); {
		case n < 3 && site < 200 && len(running) < 5:
			site++
			one := &test{name: fmt.Sprint("Test", site), site: site}
			running = append(running, one)
			f.say(format.TestBegins, one.name, uint64(one.site))
		case n < 5 && len(running) > 0:
			i := random.Intn(len(running))
			one := running[i]
			running = append(running[:i], running[i+1:]...)
			if random.Intn(6) == 0 {
				failed = append(failed, one)
				f.say(format.TestFails, one.name, uint64(one.site))
			} else {
				f.say(format.TestPasses, one.name, uint64(one.site))
			}
		case len(running) > 0:
			one := running[random.Intn(len(running))]
			n := random.Intn(12_000)
			one.calls += n
			total += n
			f.call(uint32(random.Intn(3)), uint64(one.site), one.site, n)
		}
		if random.Intn(30) > 0 {
			continue
		}
		// As if the program were killed: its files as they are.
		r.mu.Lock()
		f.mu.Lock()
		to := filepath.Join(t.TempDir(), "a.wmt")
		for _, ext := range []string{"", arenaSuffix} {
			b, err := os.ReadFile(r.Path() + ext)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to+ext, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f.mu.Unlock()
		r.mu.Unlock()
		c := read(t, to)
		if c.info.Damaged != 0 {
			t.Fatalf("after %d steps %d bytes are damaged", i, c.info.Damaged)
		}
		for _, one := range append(running[:len(running):len(running)], failed...) {
			if got := c.calls[f.name(one.site)]; got != one.calls {
				t.Fatalf("after %d steps %d calls of %s, want %d", i, got, one.name, one.calls)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, r.Path())
	if got := c.info.Events + c.info.GivenBack; got != uint64(2*total) || c.info.Damaged > 0 {
		t.Errorf("%+v; want %d events that are there or were given back", c.info, 2*total)
	}
}

// Other blocks may come between those of events.
func TestEventsFirst(t *testing.T) {
	for text, want := range map[string]string{"": "", "EE": "EE", "EEm": "EEm", "mE": "Em", "mEmmEEm": "EEEmmmm", "m": "m"} {
		k := newGiver(1e9)
		var buf []byte
		for i, c := range text {
			if c == 'E' {
				k.blocks = append(k.blocks, summarized{start: 2 * i, size: 2})
			}
			buf = append(buf, byte(c), byte('0'+i))
		}
		got := k.eventsFirst(append([]byte(nil), buf...))
		kinds := ""
		for i := 0; i < len(got); i += 2 {
			kinds += string(got[i])
			if got[i] != text[got[i+1]-'0'] {
				t.Errorf("%q becomes %q: blocks are torn", buf, got)
			}
		}
		if kinds != want {
			t.Errorf("%q becomes %q, want %s", buf, got, want)
		}
	}
}

// name returns the name of a function of the first package.
func (f *fake) name(site uint32) string { return readable.Printable("p.F" + string(rune('a'+site-1))) }
