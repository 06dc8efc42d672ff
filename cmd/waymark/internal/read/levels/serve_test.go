package levels

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

var serve = flag.Uint64("serve", 0, "measure how long index and answers take of a recording with so many events, and how much memory")
var serveFile = flag.String("serve-file", "", "with -serve: keep the recording in this file, and use it if it is there")

// TestServe measures what waymark serve takes for a long recording: make bench-serve. It prints
// figures and judges none but that answers come.
func TestServe(t *testing.T) {
	if *serve == 0 {
		t.Skip("measures times: make bench-serve")
	}
	for _, goroutines := range []int{4, 100_000} {
		t.Run(fmt.Sprintf("%d goroutines", goroutines), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "long.wmt")
			if *serveFile != "" {
				path = fmt.Sprintf("%s.%d.wmt", *serveFile, goroutines)
			}
			if _, err := os.Stat(path); err != nil {
				writeLong(t, path, *serve, goroutines)
			}
			os.Remove(path + Extension)
			measure(t, path)
		})
	}
}

// measure prints figures.
func measure(t *testing.T, path string) {
	runtime.GC()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // forgets the greatest size
	began := time.Now()
	file, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	set, err := tracefile.Join([]*tracefile.File{file})
	if err != nil {
		t.Fatal(err)
	}
	timeline := NewTimeline(set, Options{})
	defer timeline.Close()
	t.Logf("recording: %d MB, %d million events, opened in %v", file.Info().Size>>20, file.Info().Events/1e6, time.Since(began))
	cpu := cpuTime(t)
	began = time.Now()
	x, err := timeline.Index(0)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("index: %v (%v of CPU time), %.0f million events/s, %d MB, %.2f million strokes, limit %v, lowest level %d; memory at most %d MB", took, cpuTime(t)-cpu,
		float64(file.Info().Events)/1e6/took.Seconds(), x.Size()>>20, float64(x.Strokes)/1e6, time.Duration(x.p.Scale.Nanoseconds(x.sketch.Limit(x.Base))), x.Base, memory())
	began = time.Now()
	ask(t, timeline, "info")
	ask(t, timeline, "groups?bins=300")
	lanes := ask(t, timeline, "lanes?limit=100")
	ask(t, timeline, "functions")
	ask(t, timeline, "counts?bins=600")
	ids := firstLanes(x, 50)
	ask(t, timeline, "window?px=1500&lanes="+ids)
	t.Logf("first page: %v (lanes %d bytes)", time.Since(began), len(lanes))

	r := rand.New(rand.NewSource(1))
	end := x.ns(x.End)
	var steps, sizes []float64
	for step := range 400 {
		// Zooming in from the whole recording, at a random place, by a factor of two.
		width := float64(end)
		at := r.Int63n(end)
		for range step % 30 {
			width /= 2
		}
		width = max(width, 1000)
		from := max(at-int64(width/2), 0)
		began := time.Now()
		url := fmt.Sprintf("window?px=1500&rows=16&from=%d&to=%d&lanes=%s", from, from+int64(width), ids)
		b := ask(t, timeline, url)
		if d := time.Since(began); d > 100*time.Millisecond {
			t.Logf("%v: %s, %d bytes", d, url, len(b))
		}
		steps = append(steps, time.Since(began).Seconds()*1000)
		sizes = append(sizes, float64(len(b)))
	}
	quantiles(t, "zoom step, ms", steps)
	quantiles(t, "answer, bytes", sizes)
	var finds []float64
	for range 50 {
		began := time.Now()
		ask(t, timeline, fmt.Sprintf("find?function=%d&from=%d", 1+r.Intn(50), r.Int63n(end)))
		finds = append(finds, time.Since(began).Seconds()*1000)
	}
	quantiles(t, "find, ms", finds)
	began = time.Now()
	ask(t, timeline, fmt.Sprintf("table?from=%d&to=%d", end/2, end/2+end/1000))
	t.Logf("table of a thousandth: %v", time.Since(began))
	t.Logf("memory at most %d MB", memory())
	began = time.Now()
	again, err := Open(t.Context(), x.p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opened again in %v, new: %v", time.Since(began), again.New)
	again.Close()
}

func firstLanes(x *Index, n int) string {
	var ids []string
	for _, i := range x.byStart[:min(n, len(x.byStart))] {
		ids = append(ids, fmt.Sprint(x.lanes[i].ID))
	}
	return strings.Join(ids, ",")
}

func quantiles(t *testing.T, what string, list []float64) {
	slices.Sort(list)
	at := func(q float64) float64 { return list[min(int(q*float64(len(list))), len(list)-1)] }
	t.Logf("%s: p50 %.1f, p95 %.1f, max %.1f", what, at(0.5), at(0.95), list[len(list)-1])
}

// ask returns an answer.
func ask(t testing.TB, timeline *Timeline, path string) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	timeline.ServeHTTP(w, httptest.NewRequest("GET", "/"+path, nil))
	b, _ := io.ReadAll(w.Result().Body)
	if w.Code != 200 && w.Code != 404 {
		t.Fatalf("%s: %d %s", path, w.Code, b)
	}
	return b
}

// memory returns the most that the process had in memory, MB.
func memory() (mb int) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &mb); n == 1 && err == nil {
			return mb >> 10
		}
	}
	return 0
}

// cpuTime returns the CPU time of the process.
func cpuTime(t *testing.T) time.Duration {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var user, system time.Duration
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return (user + system) * 10 * time.Millisecond
}

// writeLong writes a recording of goroutines on four Ps, 25 ns an event. Each goroutine makes
// requests of a thousand calls, mostly short ones, within one call. More goroutines than four wait
// between requests.
func writeLong(t testing.TB, path string, events uint64, goroutines int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	const (
		streams, perBlock = 4, 4000
		start             = 1 << 40
	)
	meta := []format.KeyValue{}
	if goroutines > streams {
		meta = append(meta, format.KeyValue{Key: format.MetaWaiting, Value: "1"})
	}
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: start, Unix: 1_700_000_000_000_000_000, Mono: 1}, meta...)
	w.IndexEvery, w.Last = format.IndexEvery, true
	var sites []format.Site
	for i := range 50 {
		sites = append(sites, format.Site{Name: fmt.Sprintf("main.f%d", i), File: "/src/main.go", Line: i + 1})
	}
	w.Sites(1, "main", sites)
	w.Block(format.BlockOrigins, format.AppendOrigins(nil, []format.Origin{{ID: 1, Func: "main.main", File: "/src/main.go", Line: 7}, {ID: 2, Func: "main.serve", File: "/src/main.go", Line: 9}}))
	clock, written := uint64(start), uint64(0)
	type routine struct {
		id    uint64
		begun bool
		since uint64 // when it began to wait
		n     uint64
	}
	list := make([]routine, goroutines)
	for i := range list {
		list[i].id = uint64(10 + i)
	}
	var recs [streams][]format.Record
	var began [streams]format.Record
	var running [streams]uint64
	flush := func(p int) {
		if len(recs[p]) == 0 {
			return
		}
		w.Seq++
		written += uint64(w.Events(format.Chunk{State: format.ChunkFull, Stream: uint32(p), Seq: w.Seq, Clock: began[p].Clock, Goroutine: began[p].Word}, recs[p]))
		recs[p] = recs[p][:0]
		if len(w.File) > 1<<20 {
			out.Write(w.Take())
		}
	}
	add := func(p int, word uint64) {
		clock += 10 + written%7 + uint64(len(recs[p])*len(recs[p]))%24
		if len(recs[p]) == 0 {
			began[p] = format.Record{Clock: clock, Word: running[p]}
		}
		recs[p] = append(recs[p], format.Record{Clock: clock, Word: word})
	}
	code := func(p int, code, value uint64) {
		add(p, format.FirstCode<<format.SiteShift|code<<format.CodeShift|value)
	}
	call := func(site, level, exit uint64) uint64 { return exit | (1+site%50)<<format.SiteShift | 64*(level+1) }
	for turn := 0; written < events; turn++ {
		p := turn % streams
		g := &list[turn%goroutines]
		if running[p] != g.id {
			code(p, format.CodeGo, g.id)
			running[p] = g.id
		}
		if !g.begun {
			g.begun = true
			code(p, format.CodeStart, 1)
			code(p, format.CodeOrigin, 1+g.id%2)
			add(p, call(0, 0, 0))
		} else if goroutines > streams {
			code(p, format.CodeWaited, list[(turn+1)%goroutines].id<<format.WakerShift|2)
			recs[p] = append(recs[p], format.Record{Clock: clock - g.since, Word: (clock - g.since) / 10})
		}
		requests := 12
		if goroutines > streams {
			requests = 1
		}
		for range requests {
			g.n++
			add(p, call(1+g.n%3, 1, 0))
			for k := range uint64(20) {
				for up := range uint64(8) {
					add(p, call(4+g.n+k%4+up, 2+up, 0))
				}
				for up := range uint64(8) {
					add(p, call(4+g.n+k%4+7-up, 2+7-up, format.ExitBit))
				}
			}
			add(p, call(1+g.n%3, 1, format.ExitBit))
		}
		if goroutines > streams {
			code(p, format.CodeParked, 2)
			g.since = clock
		}
		if len(recs[p]) > perBlock-400 {
			flush(p)
		}
	}
	for p := range streams {
		flush(p)
	}
	w.End(clock, format.Trailer{Events: written})
	out.Write(w.Take())
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}
