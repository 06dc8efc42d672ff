//go:build linux && amd64

package patch

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

var soaking = flag.Duration("soaking", 2*time.Second, "how long TestSoak runs")

// A server under load answers right, and is as it was after each time that somebody has looked into it: at functions of any
// package and at lines, with callers or without, for any time.
func TestSoak(t *testing.T) {
	w := start(t, builtOf(t, "server", nil))
	state := func() (right, wrong, p50, p99, most int64) {
		t.Helper()
		fmt.Fprintln(w.in)
		if !w.out.Scan() {
			t.Fatalf("the server has ended: %v", w.cmd.Wait())
		}
		if _, err := fmt.Sscan(strings.TrimPrefix(w.out.Text(), "answers"), &right, &wrong, &p50, &p99, &most); err != nil {
			t.Fatal(err)
		}
		return
	}
	mapped := func() (n int) {
		maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", w.cmd.Process.Pid))
		return strings.Count(string(maps), memoryName)
	}
	time.Sleep(time.Second)
	_, _, p50, p99, most := state()
	t.Logf("before: p50 %d us, p99 %d us, longest %d us", p50, p99, most)
	source, err := os.ReadFile("testdata/server/main.go")
	if err != nil {
		t.Fatal(err)
	}
	length := strings.Count(string(source), "\n")
	cycles, events, hits, deferred, last := 0, 0, 0, 0, time.Now()
	for end := time.Now().Add(*soaking); time.Now().Before(end); cycles++ {
		target := w.attach()
		values, err := target.Values(nil, capture.Limits{Bytes: 256, Depth: 2})
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + rand.IntN(3) { // sets of functions, one after the other
			share := []float64{0.001, 0.02, 0.3, 1}[rand.IntN(4)]
			var list []Wanted
			for _, f := range target.Image.Funcs {
				if !f.Runtime() && rand.Float64() < share {
					w := Wanted{Func: f, Record: trampoline.Record{Callers: rand.IntN(2) * 20}}
					if rand.IntN(2) > 0 {
						w.Record = values.Record(f, w.Record)
					}
					list = append(list, w)
				}
			}
			for range rand.IntN(5) { // lines, of which not all have code
				lines, _, _ := values.Lines("server/main.go", 1+rand.IntN(length))
				for _, l := range lines {
					list = append(list, Wanted{Func: l.Func, Line: l, Record: l.Record(trampoline.Record{Callers: rand.IntN(9)})})
				}
			}
			report, err := target.Want(list)
			if err != nil {
				t.Fatalf("cycle %d: %v", cycles, err)
			}
			deferred += len(report.Deferred)
			follower := target.Follow()
			follower.Begin = func(*Call) { events++ }
			follower.Hit = func(c *Call) {
				hits++
				values.Args(c)
			}
			follower.End = func(c *Call) {
				if events%16 == 0 {
					values.Args(c)
					values.Results(c)
				}
			}
			for until := time.Now().Add(time.Duration(rand.IntN(300)) * time.Millisecond); time.Now().Before(until); {
				now, _ := Clock()
				some, told := target.Drain(rand.IntN(2) == 0, now, follower.Add)
				if follower.Tell(told); !some {
					time.Sleep(time.Millisecond)
				}
			}
		}
		if err := target.Close(); err != nil {
			t.Fatalf("cycle %d: %v", cycles, err)
		}
		again := w.attach()
		if n, err := again.Differences(); n != 0 || err != nil || mapped() != 0 || again.Restored != 0 {
			t.Fatalf("cycle %d: %d bytes differ, %v; %d mappings, %d jumps are left", cycles, n, err, mapped(), again.Restored)
		}
		again.Close()
		if _, wrong, _, _, _ := state(); wrong > 0 {
			t.Fatalf("cycle %d: %d answers are wrong", cycles, wrong)
		}
		if time.Since(last) > 10*time.Minute {
			t.Logf("%d cycles, %d calls and %d lines seen, %d functions deferred", cycles, events, hits, deferred)
			last = time.Now()
		}
	}
	time.Sleep(time.Second)
	right, wrong, p50, p99, most := state()
	t.Logf("%d cycles, %d calls and %d lines seen, %d functions deferred; %d answers right, %d wrong; after: p50 %d us, p99 %d us, longest %d us", cycles, events, hits, deferred, right, wrong, p50, p99, most)
	if cycles == 0 || right == 0 || wrong > 0 {
		t.Error("nothing was shown")
	}
}
