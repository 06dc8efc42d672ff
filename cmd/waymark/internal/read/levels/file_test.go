package levels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// timelineOf returns a Timeline of a process, until the test ends.
func timelineOf(t *testing.T, p *recording.Process) *Timeline {
	t.Helper()
	set, err := tracefile.Join([]*tracefile.File{p.File})
	if err != nil {
		t.Fatal(err)
	}
	timeline := NewTimeline(set, Options{})
	t.Cleanup(func() { timeline.Close() })
	return timeline
}

// TestStop ends the making of an index.
func TestStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.wmt")
	writeLong(t, path, 3_000_000, 100)
	timeline := timelineOf(t, openAt(t, path))
	begun := make(chan struct{})
	var once sync.Once
	timeline.options.Progress = func(uint64, uint64) { once.Do(func() { close(begun) }) }
	done := make(chan error)
	go func() { done <- timeline.Prepare() }()
	<-begun
	timeline.Close()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the index was closed while it was made: %v, want %v", err, context.Canceled)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) != 1 || err != nil {
		t.Errorf("%v, %v are left; want the recording", left, err)
	}
}

// TestKept checks that an index is found again, and made anew when the recording or the index changed.
func TestKept(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rec := made(r, 2000)
	_, path := open(t, rec)
	opened := func() *Index {
		t.Helper()
		x := index(t, openAt(t, path))
		if x.Path != path+Extension {
			t.Errorf("the index is %q, want %q", x.Path, path+Extension)
		}
		return x
	}
	is := func(isNew bool, why string) *Index {
		t.Helper()
		x := opened()
		if x.New != isNew {
			t.Errorf("%s: new: %v, want %v", why, x.New, isNew)
		}
		return x
	}
	is(true, "there is none")
	is(false, "there is one")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	is(true, "the recording was written to at another time")
	rec.Events = rec.Events[:len(rec.Events)-10]
	if err := os.WriteFile(path, rec.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	is(true, "the recording is shorter")

	whole, err := os.ReadFile(path + Extension)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 10, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path+Extension, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		is(true, fmt.Sprintf("the index is cut to %d bytes", n))
	}
	for _, text := range []string{"not an index", ""} {
		if err := os.WriteFile(path+Extension, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		is(true, text)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files beside the recording, %v; want the index alone", len(entries)-1, err)
	}
}

// TestDamage flips bits of an index: it is made anew, or an answer says what is wrong, or the bit
// means nothing.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	small(t, 300, 1<<20)
	maxEvents = 500
	p, path := open(t, made(r, 6000))
	x := index(t, p)
	q := Query{Range: tracefile.Range{From: x.Zero, To: p.End}, Pixels: 2000, Rows: 10}
	for i := range x.lanes {
		q.Lanes = append(q.Lanes, x.lanes[i].ID)
	}
	want, err := x.Window(q)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path + Extension)
	if err != nil {
		t.Fatal(err)
	}
	refused, told := 0, 0
	for range 300 {
		bad := bytes.Clone(whole)
		at := r.Intn(len(bad))
		bad[at] ^= 1 << r.Intn(8)
		other := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(other, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		x := found(p, other, x.Identity)
		if x == nil {
			refused++
			continue
		}
		got, err := x.Window(q)
		x.Close()
		if errors.Is(err, ErrDamaged) {
			told++
			continue
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("a bit of byte %d was flipped, and the window is another one: %v", at, err)
		}
	}
	if refused < 20 || told < 20 {
		t.Errorf("%d indexes refused, and %d answers, of 300; want at least 20 of each", refused, told)
	}
}

// TestNameless makes the index of a recording that may still change: it has no name, and leaves
// nothing behind.
func TestNameless(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	small(t, 300, 1<<20)
	file, err := made(rand.New(rand.NewSource(7)), 3000).Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{file})
	if err != nil {
		t.Fatal(err)
	}
	p := recording.Processes(set)[0]
	x, err := Open(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := read(t, p)
	q := Query{Range: tracefile.Range{From: x.Begin(), To: p.End}, Pixels: 300, Lanes: []uint64{1, 2, 3}}
	w, err := x.Window(q)
	if err != nil {
		t.Fatal(err)
	}
	h.check(t, "nameless", q, w)
	if x.Path != "" || !x.New {
		t.Errorf("the index is %q, new: %v; want no name, and new", x.Path, x.New)
	}
	x.Close()
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v, %v are left", left, err)
	}
}

// TestPeculiar makes indexes of recordings that lack almost everything.
func TestPeculiar(t *testing.T) {
	enter := tracefile.Event{Kind: tracefile.Enter, Site: 1, Token: 64, Goroutine: 1, Clock: 5}
	sites := []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.f", File: "/src/main.go", Line: 1}}}}
	for name, rec := range map[string]*calltreetest.Recording{
		"no event":         {Tables: sites, End: 10},
		"one event":        {Events: []tracefile.Event{enter}, Tables: sites, End: 10},
		"one without end":  {Events: []tracefile.Event{enter}, Tables: sites},
		"no site":          {Events: []tracefile.Event{enter}, End: 10},
		"nothing happened": {},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := open(t, rec)
			x := index(t, p)
			q := Query{Range: tracefile.Range{From: 0, To: max(x.End, 20)}, Pixels: 100, Lanes: []uint64{1, 2}, Rows: 5}
			w, err := x.Window(q)
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			for _, l := range w.Lanes {
				calls += len(l.Calls)
			}
			if calls != len(rec.Events) {
				t.Errorf("%d calls are drawn, want %d", calls, len(rec.Events))
			}
			timeline := timelineOf(t, p)
			for _, path := range []string{"state", "info", "functions", "groups?bins=10", "counts", "window?lanes=1", "table?from=1&to=5", "find?function=1", "call?goroutine=1&function=1&at=5"} {
				if b := ask(t, timeline, path); !json.Valid(b) {
					t.Errorf("%s: %s is no JSON", path, b)
				}
			}
		})
	}
}

// TestCut makes indexes of recordings that were cut, or damaged: of what can be read.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	rec := made(r, 3000)
	whole := rec.Bytes()
	for range 40 {
		b := bytes.Clone(whole)
		if r.Intn(2) == 0 {
			b = b[:len(b)/4+r.Intn(len(b)*3/4)]
		} else {
			for range 1 + r.Intn(3) {
				b[len(b)/4+r.Intn(len(b)*3/4)] ^= 1 << r.Intn(8)
			}
		}
		path := filepath.Join(t.TempDir(), "cut.wmt")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		p := openAt(t, path)
		x := index(t, p)
		h := read(t, p)
		q := Query{Range: tracefile.Range{From: x.Begin(), To: p.End}, Pixels: 50 + r.Intn(500)}
		for i := range x.lanes {
			q.Lanes = append(q.Lanes, x.lanes[i].ID)
		}
		w, err := x.Window(q)
		if err != nil {
			t.Fatal(err)
		}
		h.check(t, "cut", q, w)
	}
}

// TestParts makes one index of the parts of a rotated recording, which belongs to all of them.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewSource(4))
	rec := made(r, 3000)
	var names []string
	events := rec.Events
	for part := range 3 {
		one := *rec
		one.Nonce, one.Part = "0123456789abcdef0123456789abcdef", part
		one.Events = events[part*len(events)/3 : (part+1)*len(events)/3]
		names = append(names, filepath.Join(dir, fmt.Sprintf("app.%d.wmt", part)))
		if err := os.WriteFile(names[part], one.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened := func(names []string) *recording.Process {
		var files []*tracefile.File
		for _, name := range names {
			f, err := tracefile.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			files = append(files, f)
		}
		set, err := tracefile.Join(files)
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Processes) != 1 {
			t.Fatalf("%d processes, want 1", len(set.Processes))
		}
		return recording.Processes(set)[0]
	}
	p := opened(names)
	x := index(t, p)
	h := read(t, p)
	q := Query{Range: tracefile.Range{From: x.Begin(), To: p.End}, Pixels: 300}
	for i := range x.lanes {
		q.Lanes = append(q.Lanes, x.lanes[i].ID)
	}
	w, err := x.Window(q)
	if err != nil {
		t.Fatal(err)
	}
	h.check(t, "parts", q, w)
	if again := index(t, opened(names)); again.New {
		t.Error("the index of the same parts is made anew")
	}
	if other := index(t, opened(names[:2])); !other.New {
		t.Error("two parts have the index of three")
	}
}

// TestDeep looks into a recursion of 10,000 calls.
func TestDeep(t *testing.T) {
	const depth = 10_000
	rec := &calltreetest.Recording{PerBlock: 1000, Start: 1 << 40, Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.f", File: "/src/main.go", Line: 1}}}}}
	clock := uint64(100)
	for i := range 2 * depth {
		clock += 25
		ev := tracefile.Event{Clock: clock, Goroutine: 1, Kind: tracefile.Enter, Site: 1, Token: uint32(64 * (i + 1))}
		if i >= depth {
			ev.Kind, ev.Token = tracefile.Exit, uint32(64*(2*depth-i))
		}
		rec.Events = append(rec.Events, ev)
	}
	rec.End = clock + 10
	p, _ := open(t, rec)
	x := index(t, p)
	h := read(t, p)
	if l := x.Lane(1); l.Depth != depth {
		t.Errorf("the lane is %d calls deep, want %d", l.Depth, depth)
	}
	for _, skip := range []uint32{0, 5000, 9990} {
		for _, share := range []uint64{1, 10, 1000} {
			middle := x.Zero + (p.End-x.Zero)/2
			half := (p.End - x.Zero) / 2 / share
			q := Query{Range: tracefile.Range{From: middle - half, To: middle + half}, Pixels: 1000, Lanes: []uint64{1}, Skip: skip, Rows: 24}
			w, err := x.Window(q)
			if err != nil {
				t.Fatal(err)
			}
			h.check(t, fmt.Sprintf("skip %d, 1/%d", skip, share), q, w)
		}
	}
	c, err := x.Call(1, tracefile.Range{From: x.Zero, To: p.End}, 1, 9000)
	if err != nil || len(c.Callers) != 9000 {
		t.Errorf("the call at 9000: %v, want 9000 callers", err)
	}
}

// TestManyGoroutines makes an index of 100,000 goroutines, of which all but a few wait.
func TestManyGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.wmt")
	const goroutines = 100_000
	writeLong(t, path, 40_000_000/goroutines*goroutines/10, goroutines)
	p := openAt(t, path)
	timeline := timelineOf(t, p)
	x, err := timeline.Index(0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := p.File.Verify()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(x.lanes); uint64(n) != info.Goroutines {
		t.Errorf("%d lanes, want %d", n, info.Goroutines)
	}
	var page struct {
		All   int
		Lanes []struct{ ID uint64 }
	}
	b := ask(t, timeline, "lanes?group=1&offset=2000&limit=200")
	if err := json.Unmarshal(b, &page); err != nil || len(page.Lanes) != 200 || page.All < 2200 {
		t.Errorf("%d lanes of %d on a page, %v; want 200", len(page.Lanes), page.All, err)
	}
	var ids []string
	for _, l := range page.Lanes {
		ids = append(ids, fmt.Sprint(l.ID))
	}
	end := x.ns(x.End)
	for _, share := range []int64{1, 100, 10_000} {
		b := ask(t, timeline, fmt.Sprintf("window?px=1500&from=%d&to=%d&lanes=%s", end/2, end/2+max(end/2/share, 1), strings.Join(ids, ",")))
		if len(b) > 1<<20 {
			t.Errorf("a window of 1/%d takes %d bytes, want less than a million", share, len(b))
		}
	}
}

// TestRequests asks many things at once, and wrong ones.
func TestRequests(t *testing.T) {
	rec := made(rand.New(rand.NewSource(5)), 4000)
	p, _ := open(t, rec)
	timeline := timelineOf(t, p)
	var wait sync.WaitGroup
	for k := range 8 {
		wait.Go(func() {
			r := rand.New(rand.NewSource(int64(k)))
			for range 25 {
				from := r.Int63n(100_000)
				path := []string{
					"state", "info", "functions", "groups?bins=20", "lanes?group=0", "counts?bins=50",
					fmt.Sprintf("window?px=300&lanes=1,2,3&from=%d&to=%d", from, from+1+r.Int63n(100_000)),
					fmt.Sprintf("table?from=%d&to=%d", from, from+1000),
					fmt.Sprintf("find?function=%d&from=%d", 1+r.Intn(9), from),
					fmt.Sprintf("find?function=%d&from=%d&direction=previous", 1+r.Intn(9), from),
				}[r.Intn(10)]
				if b := ask(t, timeline, path); !json.Valid(b) {
					t.Errorf("%s: %s is no JSON", path, b)
				}
			}
		})
	}
	wait.Wait()
	for path, says := range map[string]string{
		"window?lanes=1,x":                          `lanes: \"x\": want ids of goroutines`,
		"window?lanes=1&px=0":                       "px=0: want 1 to 10000",
		"window?from=5&to=5":                        "from=5\\u0026to=5: ends before it begins",
		"window?from=a":                             "from=a: want a whole number",
		"window?lanes=" + strings.Repeat("1,", 300): "want",
		"info?process=7":                            "process=7: want 0 to 0",
		"lanes?group=99":                            "group=99: there are",
		"lanes?goroutine=123456":                    "goroutine=123456: it was not alive then",
		"nothing":                                   "there is no such request",
		"table?from=10&to=2":                        "ends before it begins",
	} {
		w := httptest.NewRecorder()
		timeline.ServeHTTP(w, httptest.NewRequest("GET", "/"+path, nil))
		if w.Code != 400 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s, want 400 and %s", path, w.Code, w.Body, says)
		}
	}
	for _, path := range []string{"call?goroutine=99&function=1&at=0", "call?goroutine=1&function=1&at=999999999", "find?function=77&from=0"} {
		w := httptest.NewRecorder()
		timeline.ServeHTTP(w, httptest.NewRequest("GET", "/"+path, nil))
		if w.Code != 404 {
			t.Errorf("%s: %d %s, want 404", path, w.Code, w.Body)
		}
	}
}

// TestAnswers compares the answer to window, and to call, with what the index says.
func TestAnswers(t *testing.T) {
	p, _ := open(t, made(rand.New(rand.NewSource(6)), 3000))
	timeline := timelineOf(t, p)
	x, err := timeline.Index(0)
	if err != nil {
		t.Fatal(err)
	}
	h := read(t, p)
	var window struct {
		Lanes []struct {
			ID           uint64
			Calls, Waits []int64
		}
	}
	ids := firstLanes(x, 100)
	if err := json.Unmarshal(ask(t, timeline, "window?px=5000&rows=100&lanes="+ids), &window); err != nil {
		t.Fatal(err)
	}
	type one struct{ goroutine, start, end, depth, site int64 }
	calls := make(map[one]calltree.Flags)
	for i := range h.calls {
		c := &h.calls[i]
		calls[one{int64(c.Goroutine), x.ns(c.Start), x.ns(c.End), int64(c.Depth), int64(c.Site)}] = c.Flags
	}
	n := 0
	for _, l := range window.Lanes {
		for c := l.Calls; len(c) >= callNumbers; c = c[callNumbers:] {
			if c[7] != int64(calltree.OneCall) {
				continue
			}
			n++
			flags, ok := calls[one{int64(l.ID), c[0], c[1], c[2], c[3]}]
			if !ok || int64(flags) != c[5] || c[4] != 1 {
				t.Errorf("goroutine %d has no call as in %d", l.ID, c[:callNumbers])
			}
			var call struct {
				Goroutine uint64
				Name      string
				Start     int64 `json:"start_ns"`
				End       int64 `json:"end_ns"`
				Depth     int64
				Panicked  bool
				Callers   []struct{ Depth int }
			}
			if n > 100 {
				continue
			}
			b := ask(t, timeline, fmt.Sprintf("call?goroutine=%d&function=%d&at=%d&depth=%d", l.ID, c[3], c[0], c[2]))
			if err := json.Unmarshal(b, &call); err != nil || call.Start != c[0] || call.End != c[1] || call.Depth != c[2] || len(call.Callers) != int(c[2]) ||
				call.Name != fmt.Sprintf("main.f%d", c[3]) || call.Panicked != (flags&calltree.Panicked != 0) {
				t.Errorf("call %d of goroutine %d: %s, %v", c[:callNumbers], l.ID, b, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d calls in the window, want more", n)
	}
}

// TestProcesses asks for two processes of one program.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	var files []*tracefile.File
	for i := range 2 {
		rec := made(rand.New(rand.NewSource(int64(8+i))), 1000)
		rec.PID, rec.Later = 100+i, time.Duration(i)*time.Second
		path := filepath.Join(dir, fmt.Sprintf("app.%d.wmt", i))
		if err := os.WriteFile(path, rec.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, openAt(t, path).File)
	}
	set, err := tracefile.Join(files)
	if err != nil {
		t.Fatal(err)
	}
	timeline := NewTimeline(set, Options{})
	defer timeline.Close()
	if err := timeline.Prepare(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		var info struct{ Label, File string }
		if err := json.Unmarshal(ask(t, timeline, fmt.Sprintf("info?process=%d", i)), &info); err != nil || info.Label != fmt.Sprint(100+i) || info.File != set.Processes[i].Path() {
			t.Errorf("process %d is %+v, %v", i, info, err)
		}
	}
	if entries, err := os.ReadDir(dir); len(entries) != 4 || err != nil {
		t.Errorf("%d files, %v; want two recordings and two indexes", len(entries), err)
	}
}

// TestCounted looks at a counted call that took long, of which only the end was recorded.
func TestCounted(t *testing.T) {
	events, err := calltreetest.Events("A10 +50 C30 +10 c30 +40 ~B20,90 +10 a10")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := open(t, &calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, Start: 1 << 40})
	x := index(t, p)
	w, err := x.Window(Query{Range: tracefile.Range{From: x.Begin(), To: p.End}, Pixels: 1000, Lanes: []uint64{1}})
	if err != nil {
		t.Fatal(err)
	}
	var counted *calltree.Stroke
	for i := range w.Lanes[0].Calls {
		if st := &w.Lanes[0].Calls[i]; st.Flags&calltree.Long != 0 {
			counted = st
		}
	}
	if counted == nil || counted.End-counted.Start != 90 || counted.Site != 2 || counted.Depth != 1 {
		t.Fatalf("the counted call is %+v in %+v", counted, w.Lanes[0].Calls)
	}
	c, err := x.Call(1, tracefile.Range{From: counted.Start, To: counted.Start}, 2, 1)
	if err != nil || c.End != counted.End || c.Flags&calltree.Long == 0 {
		t.Errorf("the counted call is %+v, %v", c, err)
	}
	c, err = x.Next(2, x.Begin(), 0)
	if err != nil || c.Start != counted.Start {
		t.Errorf("the next call is %+v, %v; want the one that began at %d", c, err, counted.Start)
	}
}
