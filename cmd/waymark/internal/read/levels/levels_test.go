package levels

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A program makes the events of goroutines that call, wait, panic, and start others.
type program struct {
	r       *rand.Rand
	clock   uint64
	alive   []*routine
	started uint64
	out     []tracefile.Event
}

type routine struct {
	id     uint64
	stack  []calltree.OpenCall
	parked bool
	since  uint64
	most   int // calls that are open at a time
}

func (p *program) event(g *routine, ev tracefile.Event) {
	step := uint64(1 + p.r.Intn(40))
	if p.r.Intn(60) == 0 {
		step += uint64(p.r.Intn(3000))
	}
	p.clock += step
	ev.Clock, ev.Goroutine, ev.Stream = p.clock, g.id, uint32(g.id%3)
	p.out = append(p.out, ev)
}

func (p *program) start(parent uint64) {
	p.started++
	g := &routine{id: p.started, most: 2 + p.r.Intn(12)}
	p.alive = append(p.alive, g)
	if parent > 0 {
		p.event(g, tracefile.Event{Kind: tracefile.Start, Value: parent, Origin: uint32(1 + parent%3)})
	}
}

func (p *program) step(g *routine) {
	n := len(g.stack)
	exit := func() {
		top := g.stack[len(g.stack)-1]
		p.event(g, tracefile.Event{Kind: tracefile.Exit, Site: top.Site, Token: top.Token})
		g.stack = g.stack[:len(g.stack)-1]
	}
	switch k := p.r.Intn(100); {
	case g.parked:
		total := p.clock + 1 - g.since
		w := format.Wait{Reason: format.WaitReason(2 + p.r.Intn(6)), Total: total, Runnable: uint64(p.r.Int63n(int64(total)) / 2), Waker: uint64(1 + p.r.Intn(int(p.started)))}
		g.parked = false
		p.event(g, tracefile.Event{Kind: tracefile.Waited, Value: w.Total, Data: format.AppendWait(nil, w)})
	case k < 8 && n > 0:
		p.event(g, tracefile.Event{Kind: tracefile.Parked, Value: 2})
		g.parked, g.since = true, p.clock
	case k < 10 && len(p.alive) < 12:
		p.start(g.id)
	case k == 10 && n > 2:
		to := g.stack[p.r.Intn(n-1)]
		p.event(g, tracefile.Event{Kind: tracefile.Panic, Token: g.stack[n-1].Token})
		p.event(g, tracefile.Event{Kind: tracefile.Recover, Token: to.Token})
		for len(g.stack) > 0 && g.stack[len(g.stack)-1].Token > to.Token {
			g.stack = g.stack[:len(g.stack)-1]
		}
	case k == 11 && n == 0 && g.id > 1:
		p.event(g, tracefile.Event{Kind: tracefile.End})
		p.alive = slices.DeleteFunc(p.alive, func(o *routine) bool { return o == g })
	case k == 12 && n > 0:
		p.event(g, tracefile.Event{Kind: tracefile.Error, Site: g.stack[n-1].Site})
	case n == 0 || n < g.most && k < 56:
		c := calltree.OpenCall{Site: uint32(1 + p.r.Intn(9)), Token: uint32(64 * (n + 1))}
		p.event(g, tracefile.Event{Kind: tracefile.Enter, Site: c.Site, Token: c.Token, Data: args(p.r)})
		g.stack = append(g.stack, c)
	default:
		exit()
	}
}

// args returns an argument now and then.
func args(r *rand.Rand) []byte {
	if r.Intn(3) > 0 {
		return nil
	}
	return binary.AppendVarint([]byte{byte(reflect.Int)}, int64(r.Intn(1000)))
}

// made returns a recording of about that many events.
func made(r *rand.Rand, events int) *calltreetest.Recording {
	p := &program{r: r, clock: 1000}
	p.start(0)
	for len(p.out) < events {
		g := p.alive[r.Intn(len(p.alive))]
		for range 1 + r.Intn(20) {
			if p.step(g); !slices.Contains(p.alive, g) || g.parked {
				break
			}
		}
	}
	var sites []format.Site
	for i := range 9 {
		sites = append(sites, format.Site{Name: fmt.Sprintf("main.f%d", i+1), File: "/src/main.go", Line: i + 1})
	}
	return &calltreetest.Recording{
		Events: p.out, Tables: []calltreetest.Table{{Package: "main", Sites: sites}}, End: p.clock + 10, PerBlock: 50 + r.Intn(200), Waiting: true, Start: 1 << 40,
		Origins: []tracefile.Origin{{ID: 1, Func: "main.f1", File: "/src/main.go", Line: 11}, {ID: 2, Func: "main.f2", File: "/src/main.go", Line: 22}},
	}
}

// open writes a recording to a file and opens it.
func open(t testing.TB, r *calltreetest.Recording) (*recording.Process, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.wmt")
	if err := os.WriteFile(path, r.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return openAt(t, path), path
}

func openAt(t testing.TB, path string) *recording.Process {
	t.Helper()
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		t.Fatal(err)
	}
	return recording.Processes(set)[0]
}

func index(t testing.TB, p *recording.Process) *Index {
	t.Helper()
	x, err := Open(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// A truth is all calls of a recording, as they come out if everything is read.
type truth struct {
	result *calltree.Result
	calls  []calltree.Call // by end
	waits  []calltree.Call
	above  []int // callers
	args   [][]byte
}

func read(t testing.TB, p *recording.Process) *truth {
	t.Helper()
	h := new(truth)
	stacks := make(map[uint64][][]byte)
	var err error
	h.result, err = calltree.Read(p.File.Events(), calltree.Options{
		Goroutines: true,
		OnEnter: func(c *calltree.Call) {
			stacks[c.Goroutine] = append(stacks[c.Goroutine][:c.Depth], slices.Clone(c.Args))
		},
		OnCall: func(c *calltree.Call) {
			one := *c
			if c.Off != nil {
				off := *c.Off
				one.Off = &off
			}
			h.calls = append(h.calls, one)
			h.args = append(h.args, stacks[c.Goroutine][c.Depth])
		},
		OnWait: func(c *calltree.Call) {
			one := *c
			wait := *c.Wait
			one.Wait = &wait
			h.waits = append(h.waits, one)
		},
	}, p.End)
	if err != nil {
		t.Fatal(err)
	}
	h.above = make([]int, len(h.calls))
	callers := make(map[uint64][]int)
	for i := len(h.calls) - 1; i >= 0; i-- {
		c := &h.calls[i]
		h.above[i] = -1
		if c.Depth > 0 {
			h.above[i] = callers[c.Goroutine][c.Depth-1]
		}
		callers[c.Goroutine] = append(callers[c.Goroutine][:c.Depth], i)
	}
	return h
}

// A drawing is what a window has to show by itself.
type drawing struct {
	goroutine, start, end uint64
	depth, site           uint32
	flags                 calltree.Flags
}

// check compares a window with all calls.
func (h *truth) check(t *testing.T, name string, q Query, w *Window) {
	t.Helper()
	wanted := make(map[uint64]bool)
	for _, id := range q.Lanes {
		wanted[id] = true
	}
	shorts := make(map[uint64]*LaneWindow)
	var want, got []drawing
	for i := range w.Lanes {
		l := &w.Lanes[i]
		shorts[l.ID] = l
		for _, st := range slices.Concat(l.Calls, l.Waits) {
			switch st.Kind {
			case calltree.OneCall:
				got = append(got, drawing{l.ID, st.Start, st.End, st.Depth, st.Site, st.Flags})
			case calltree.OneWait:
				got = append(got, drawing{l.ID, st.Start, st.End, 1 << 31, st.Site, 0})
			}
		}
	}
	covered := func(list []calltree.Stroke, kind calltree.StrokeKind, depth uint32, start, end uint64) bool {
		return slices.ContainsFunc(list, func(st calltree.Stroke) bool {
			return st.Kind == kind && st.Depth == depth && st.Start <= start && st.End >= end
		})
	}
	for i := range h.calls {
		c := &h.calls[i]
		if !wanted[c.Goroutine] || c.End < q.From || c.Start > q.To || uint32(c.Depth) < q.Skip || q.Rows > 0 && uint32(c.Depth)-q.Skip >= q.Rows {
			continue
		}
		if length := c.End - c.Start; length >= w.Limit {
			want = append(want, drawing{c.Goroutine, c.Start, c.End, uint32(c.Depth), c.Site, c.Flags})
		} else if up := h.above[i]; up < 0 || h.calls[up].End-h.calls[up].Start >= w.Limit {
			if !covered(shorts[c.Goroutine].Calls, calltree.Shorts, uint32(c.Depth), c.Start, c.End) {
				t.Errorf("%s: short call %+v is in no stroke", name, *c)
			}
		}
	}
	for i := range h.waits {
		c := &h.waits[i]
		if !wanted[c.Goroutine] || c.End < q.From || c.Start > q.To {
			continue
		}
		if length := c.End - c.Start; length >= w.Limit {
			want = append(want, drawing{c.Goroutine, c.Start, c.End, 1 << 31, uint32(c.Wait.Reason), 0})
		} else if !covered(shorts[c.Goroutine].Waits, calltree.Waits, 0, c.Start, c.End) {
			t.Errorf("%s: short wait %+v is in no stroke", name, *c)
		}
	}
	order := func(a, b drawing) int {
		return cmp.Or(cmp.Compare(a.goroutine, b.goroutine), cmp.Compare(a.start, b.start), cmp.Compare(a.depth, b.depth), cmp.Compare(a.site, b.site), cmp.Compare(a.end, b.end))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(drawing{})); diff != "" {
		t.Errorf("%s: calls and waits that are not short (-want +got)\n%s", name, diff)
	}
}

// small makes runs short, so that there are many, and leaves levels out that have many strokes.
func small(t *testing.T, size int, least uint64) {
	a, b, c := runSize, leastStrokes, maxEvents
	runSize, leastStrokes = size, least
	t.Cleanup(func() { runSize, leastStrokes, maxEvents = a, b, c })
}

// TestWindow asks for windows of made-up recordings, of all widths.
func TestWindow(t *testing.T) {
	for _, least := range []uint64{1 << 20, 100} {
		small(t, 300, least)
		exact, stored, based := 0, 0, 0
		for _, seed := range seed.List(10) {
			maxEvents = []uint64{100_000, 1000}[seed%2]
			r := rand.New(rand.NewSource(int64(seed)))
			p, _ := open(t, made(r, 3000+r.Intn(6000)))
			x := index(t, p)
			if x.Base > 0 {
				based++
			}
			h := read(t, p)
			for range 50 {
				length := uint64(float64(p.End-x.Zero) * []float64{1, 0.3, 0.1, 0.01, 0.001}[r.Intn(5)])
				q := Query{Pixels: 1 + r.Intn(300), Rows: uint32(1 + r.Intn(16)), Skip: uint32(r.Intn(3))}
				q.From = x.Zero + uint64(r.Int63n(int64(p.End-x.Zero-length+1)))
				q.To = q.From + length
				for i := range x.lanes {
					if r.Intn(3) > 0 {
						q.Lanes = append(q.Lanes, x.lanes[i].ID)
					}
				}
				w, err := x.Window(q)
				if err != nil {
					t.Fatal(err)
				}
				if w.Exact {
					exact++
				} else {
					stored++
				}
				h.check(t, fmt.Sprintf("seed %d, %d to %d, limit %d, exact %v", seed, q.From, q.To, w.Limit, w.Exact), q, w)
				if t.Failed() {
					return
				}
			}
		}
		t.Logf("%d windows were read from recordings, %d from indexes, %d of which lack the lowest levels", exact, stored, based)
		if exact < 100 || stored < 100 || least == 100 && based < 5 {
			t.Errorf("too few")
		}
	}
}

// TestCalls looks at calls one by one, and looks for the calls of functions.
func TestCalls(t *testing.T) {
	small(t, 300, 1<<20)
	for _, seed := range seed.List(8) {
		r := rand.New(rand.NewSource(int64(seed)))
		p, _ := open(t, made(r, 3000+r.Intn(3000)))
		x := index(t, p)
		h := read(t, p)
		begins := make(map[uint32][]*calltree.Call)
		for i := range h.calls {
			c := &h.calls[i]
			begins[c.Site] = append(begins[c.Site], c)
			if r.Intn(len(h.calls)) > 200 {
				continue
			}
			got, err := x.Call(c.Goroutine, tracefile.Range{From: c.Start, To: c.Start}, c.Site, c.Depth)
			if err != nil {
				t.Fatalf("seed %d: call %+v: %v", seed, *c, err)
			}
			want := *c
			want.Args, want.Wait = h.args[i], nil
			one := got.Call
			one.Wait = nil
			if diff := gocmp.Diff(want, one); diff != "" {
				t.Fatalf("seed %d: call (-want +got)\n%s", seed, diff)
			}
			var callers []Caller
			for up := h.above[i]; up >= 0; up = h.above[up] {
				callers = append([]Caller{{h.calls[up].Site, h.calls[up].Start}}, callers...)
			}
			if diff := gocmp.Diff(callers, got.Callers, gocmp.Transformer("", func(l []Caller) []Caller { return append([]Caller{}, l...) })); diff != "" && len(callers)+len(got.Callers) > 0 {
				t.Fatalf("seed %d: callers of %+v (-want +got)\n%s", seed, want, diff)
			}
			children := 0
			for _, l := range x.lanes {
				if l.Parent == c.Goroutine && l.Start >= c.Start && l.Start <= c.End {
					children++
				}
			}
			if children != got.AllChildren {
				t.Errorf("seed %d: %d goroutines started by %+v, want %d", seed, got.AllChildren, want, children)
			}
		}
		for site := range uint32(11) {
			list := begins[site]
			slices.SortFunc(list, func(a, b *calltree.Call) int { return cmp.Compare(a.Began, b.Began) })
			for range 20 {
				clock := x.Zero + uint64(r.Int63n(int64(p.End-x.Zero+100)))
				next, _ := slices.BinarySearchFunc(list, clock, func(c *calltree.Call, clock uint64) int { return cmp.Compare(c.Began, clock) })
				got, err := x.Next(site, clock, 0)
				if next == len(list) {
					if !errors.Is(err, ErrNoCall) {
						t.Errorf("seed %d: next call of %d after %d: %+v, %v; want none", seed, site, clock, got, err)
					}
				} else if err != nil || got.Began != list[next].Began || got.Goroutine != list[next].Goroutine || got.End != list[next].End {
					t.Errorf("seed %d: next call of %d after %d: %+v, %v; want %+v", seed, site, clock, got, err, list[next])
				}
				if next < len(list) && list[next].Began == clock {
					continue
				}
				got, err = x.Previous(site, clock, 0)
				if next == 0 {
					if !errors.Is(err, ErrNoCall) {
						t.Errorf("seed %d: previous call of %d before %d: %+v, %v; want none", seed, site, clock, got, err)
					}
				} else if err != nil || got.Began != list[next-1].Began || got.Goroutine != list[next-1].Goroutine {
					t.Errorf("seed %d: previous call of %d before %d: %+v, %v; want %+v", seed, site, clock, got, err, list[next-1])
				}
			}
		}
	}
}

// TestLanes compares the lanes, tables and counts with those of a full read.
func TestLanes(t *testing.T) {
	for _, seed := range seed.List(8) {
		r := rand.New(rand.NewSource(int64(seed)))
		rec := made(r, 3000+r.Intn(3000))
		p, _ := open(t, rec)
		x := index(t, p)
		h := read(t, p)
		groups, seen := 0, 0
		for _, g := range x.Groups() {
			groups++
			for from := 0; ; from += 3 {
				page, all := x.Lanes(g.ID, tracefile.Range{}, from, 3)
				if all != g.Lanes {
					t.Errorf("seed %d: group %d has %d lanes and %d", seed, g.ID, g.Lanes, all)
				}
				for _, l := range page {
					seen++
					i, ok := slices.BinarySearchFunc(h.result.Goroutines, l.ID, func(g calltree.Goroutine, id uint64) int { return cmp.Compare(g.ID, id) })
					if !ok {
						t.Fatalf("seed %d: there is no goroutine %d", seed, l.ID)
					}
					want := &h.result.Goroutines[i]
					var off calltree.Off
					if want.Off != nil {
						off = want.Off.Total
					}
					depth := uint32(0)
					for i := range h.calls {
						if c := &h.calls[i]; c.Goroutine == l.ID {
							depth = max(depth, uint32(c.Depth)+1)
						}
					}
					wanted := Lane{
						want.ID, want.Parent, want.Start, want.End, want.Calls, want.Total, off.Runnable, off.Sum() - off.Runnable,
						want.Origin, uint32(want.Panics), uint32(want.Errors), depth, want.Ended, l.chunk, l.chunks,
					}
					if diff := gocmp.Diff(wanted, *l, gocmp.AllowUnexported(Lane{})); diff != "" {
						t.Errorf("seed %d: lane (-want +got)\n%s", seed, diff)
					}
				}
				if len(page) < 3 {
					break
				}
			}
		}
		if seen != len(h.result.Goroutines) {
			t.Errorf("seed %d: %d lanes in %d groups, want %d", seed, seen, groups, len(h.result.Goroutines))
		}
		events, panics := uint64(0), uint64(0)
		for _, c := range x.Counts(tracefile.Range{From: x.Zero, To: p.End + 5000}, 1) {
			events += c.Events
			panics += c.Panics
		}
		wantPanics := uint64(0)
		for _, g := range h.result.Goroutines {
			wantPanics += g.Panics
		}
		if events != h.result.Events || panics != wantPanics {
			t.Errorf("seed %d: %d events and %d panics, want %d and %d", seed, events, panics, h.result.Events, wantPanics)
		}
		middle := x.Zero + (p.End-x.Zero)/2
		for _, rng := range []tracefile.Range{{}, {From: x.Zero + 10_000, To: middle}, {From: middle}} {
			got, err := x.Table(t.Context(), rng, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, err := calltree.Read(p.File.Events(), calltree.Options{From: rng.From, To: rng.To}, p.End)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want.Rows, got.Rows); diff != "" {
				t.Errorf("seed %d: table of %+v (-want +got)\n%s", seed, rng, diff)
			}
		}
		const n = 7
		r2 := tracefile.Range{From: x.Zero + 5000, To: middle}
		alive := x.Alive(-1, r2, n)
		width := float64(r2.To - r2.From)
		for i := range n {
			from, to := float64(r2.From)+width*float64(i)/n, float64(r2.From)+width*float64(i+1)/n
			most, least := 0, 0
			for _, g := range h.result.Goroutines {
				if float64(g.Start) <= to+1 && float64(g.End) >= from-1 {
					most++
				}
				if float64(g.Start) <= to-1 && float64(g.End) >= from+1 {
					least++
				}
			}
			if alive[i] > most || alive[i] < least {
				t.Errorf("seed %d: %d goroutines in part %d, want %d to %d", seed, alive[i], i, least, most)
			}
		}
	}
}
