package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// TestReadersWindow checks commands that are asked for a part of a recording's time, or for one
// test. They read that part of the file, its index and outlines, and little else.
func TestReadersWindow(t *testing.T) {
	events := 4_000_000
	if *billion {
		events = 1_000_000_000
	}
	path := filepath.Join(t.TempDir(), "long.wmt")
	end := writeTests(t, path, events)
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	const calm = 4 << 20 // read for whatever else
	at := func(share float64) string { return time.Duration(float64(end) * share).String() }
	length := 0.002
	if *billion {
		length = min(length, 1e9/float64(end))
	}
	for _, tt := range []struct {
		args string
		most float64 // share of the file
	}{
		{"report --time " + at(0.9) + ".." + at(0.9+length), 0.05},
		{"tree --time " + at(0.5) + ".." + at(0.5+length), 0.05},
		{"replay --depth 3 --time " + at(0.99) + ".." + at(0.99+length/100), 0.05},
		{"replay --depth 3 --test TestNumber900", 0.01},
	} {
		for _, how := range []string{"cold", "warm"} {
			if how == "cold" {
				if !*billion || os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) != nil {
					continue
				}
			}
			began := time.Now()
			read, cpu, out := bytesRead(t, tt.args, path)
			t.Logf("%s, %s: %v, %v of CPU time, %.1f of %.0f MB read, %d lines", tt.args, how, time.Since(began), cpu, float64(read)/1e6, float64(fi.Size())/1e6, bytes.Count(out, []byte("\n")))
			if most := int64(tt.most*float64(fi.Size())) + calm; read > most {
				t.Errorf("%s: read %d bytes of %d, want at most %d", tt.args, read, fi.Size(), most)
			}
			if len(out) == 0 {
				t.Errorf("%s: printed nothing", tt.args)
			}
		}
	}
}

// bytesRead runs waymark and returns how many bytes it read of files, the CPU time that it took, and
// its output.
func bytesRead(t *testing.T, args, file string) (n int64, cpu time.Duration, output []byte) {
	t.Helper()
	// The shell waits until it may end, with the numbers of its child.
	cmd := exec.Command("sh", "-c", `waymark "$@" >&3; cat /proc/$$/io >&4`, "sh")
	cmd.Args = append(cmd.Args, append(strings.Fields(args), file)...)
	var files [2]*os.File
	for i := range files {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	cmd.ExtraFiles = files[:]
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("waymark %s: %v\n%s", args, err, out)
	}
	output, err := os.ReadFile(files[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := os.ReadFile(files[1].Name())
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(counts), "rchar: ")
	line, _, _ := strings.Cut(rest, "\n")
	if n, err = strconv.ParseInt(line, 10, 64); err != nil {
		t.Fatal(err)
	}
	return n, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), output
}

// writeTests writes a recording of a thousand tests that run one after the other, with about that
// many events. Each test runs on a goroutine of its own and with one more on each other P.
// writeTests returns how long the recording is, ns. Main is waiting in a call all the time.
func writeTests(t *testing.T, path string, events int) (end int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const (
		streams, depth, tests = 4, 10, 1000
		perBlock              = 4000
		start                 = 1 << 40
	)
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: start, Unix: 1_700_000_000_000_000_000, Mono: 1},
		format.KeyValue{Key: format.MetaTests, Value: "example.com/m"})
	w.IndexEvery, w.Last = format.IndexEvery, true
	var sites []format.Site
	for i := range 50 {
		sites = append(sites, format.Site{Name: fmt.Sprintf("main.f%d", i), File: "/src/main.go", Line: i + 1})
	}
	w.Sites(1, "main", sites)
	clock := uint64(start)
	var recs [streams][]format.Record
	var began [streams]format.Record // of the current chunks: clock and goroutine
	written := 0
	flush := func(p int) {
		if len(recs[p]) == 0 {
			return
		}
		w.Seq++
		h := format.Chunk{State: format.ChunkFull, Stream: uint32(p), Seq: w.Seq, Clock: began[p].Clock, Goroutine: began[p].Word}
		written += w.Events(h, recs[p])
		recs[p] = recs[p][:0]
		if len(w.File) > 1<<20 {
			if _, err := file.Write(w.Take()); err != nil {
				t.Fatal(err)
			}
		}
	}
	var running [streams]uint64
	add := func(p int, word uint64) {
		clock += 10 + clock*clock%7
		if len(recs[p]) == 0 {
			began[p] = format.Record{Clock: clock, Word: running[p]}
		}
		recs[p] = append(recs[p], format.Record{Clock: clock, Word: word})
		if len(recs[p]) >= perBlock {
			flush(p)
		}
	}
	code := func(p int, code, value uint64) {
		add(p, format.FirstCode<<format.SiteShift|code<<format.CodeShift|value)
	}
	call := func(site, level int, exit uint64) uint64 {
		return exit | uint64(1+site%len(sites))<<format.SiteShift | uint64(64*(level+1))
	}
	run := func(p int, g uint64) {
		if running[p] != g {
			code(p, format.CodeGo, g)
			running[p] = g
		}
	}
	test := func(state format.TestState, g uint64, n int) {
		w.Block(format.BlockTests, format.AppendTests(nil, []format.TestEvent{{Clock: clock, Goroutine: g, State: state, Name: fmt.Sprint("TestNumber", n)}}))
	}
	run(0, 1)
	add(0, call(0, 0, 0))
	for n := range tests {
		goroutine := func(p int) uint64 { return uint64(100*n + 10 + p) }
		for p := range streams {
			run(p, goroutine(p))
			if p == 0 {
				code(p, format.CodeStart, 1)
				test(format.TestBegins, goroutine(0), n)
			} else {
				code(p, format.CodeStart, goroutine(0))
			}
			add(p, call(n, 0, 0))
			add(p, call(n+1, 1, 0))
		}
		for i := 0; i < events/tests/streams; i += 2 * depth {
			// All go up and come down again; which of them is where at the end of a block differs.
			for p := range streams {
				for up := range depth {
					add(p, call(n+i+up, 2+up, 0))
				}
				for up := depth - 1; up >= 0; up-- {
					add(p, call(n+i+up, 2+up, format.ExitBit))
				}
			}
		}
		for p := streams - 1; p >= 0; p-- {
			add(p, call(n+1, 1, format.ExitBit))
			add(p, call(n, 0, format.ExitBit))
			if p == 0 {
				test(format.TestPasses, goroutine(0), n)
			}
			code(p, format.CodeEnd, 0)
		}
	}
	run(0, 1)
	add(0, call(0, 0, format.ExitBit))
	for p := range streams {
		flush(p)
	}
	w.End(clock, format.Trailer{Events: uint64(written)})
	if _, err := file.Write(w.Take()); err != nil {
		t.Fatal(err)
	}
	return int64(clock - start)
}
