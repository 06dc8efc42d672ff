package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var waits = flag.Bool("waits", false, "compare when goroutines ran with what runtime/trace says (half a minute)")

// A timed is what a report says of when calls ran, ns.
type timed struct {
	Name      string           `json:"name"`
	Goroutine uint64           `json:"goroutine"`
	Total     int64            `json:"total_ns"`
	Self      int64            `json:"self_ns"`
	Running   int64            `json:"running_ns"`
	Runnable  int64            `json:"runnable_ns"`
	Waiting   int64            `json:"waiting_ns"`
	Reasons   map[string]int64 `json:"waiting"`
	SelfRuns  int64            `json:"self_running_ns"`
	SelfReady int64            `json:"self_runnable_ns"`
	SelfWaits int64            `json:"self_waiting_ns"`
}

// Running, runnable and waiting are the total of each function of a program that waits in all the
// ways there are, and by reason they are what package runtime/trace says of the same run.
func TestWaits(t *testing.T) {
	if !*waits {
		t.Skip("not asked for: make test-waits")
	}
	prog := instrument(t, "waits", "--all", "--closures")
	dir := t.TempDir()
	recording, trace := filepath.Join(dir, "waits.wmt"), filepath.Join(dir, "trace")
	cmd := exec.Command(prog, trace)
	cmd.Env = append(os.Environ(), "WAYMARK=record,waiting,o="+recording)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}

	waitsFor := map[string]string{
		"main.channel": "channel", "main.locked": "lock", "main.selects": "select", "main.sleep": "sleep", "main.timer": "timer",
		"main.network": "network", "main.system": "syscall", "main.cgo": "syscall", "main.pull": "coroutine", "main.forever": "channel",
	}
	for _, f := range timedRows(t, recording, "function") {
		if f.Running+f.Runnable+f.Waiting != f.Total || f.SelfRuns+f.SelfReady+f.SelfWaits != f.Self ||
			min(f.Running, f.Runnable, f.SelfRuns, f.SelfReady) < 0 {
			t.Errorf("%s: %+v", f.Name, f)
		}
		if reason := waitsFor[f.Name]; reason != "" && f.Reasons[reason] < f.Waiting/2 {
			t.Errorf("%s waited %d ns, for %v; want %s most of that", f.Name, f.Waiting, f.Reasons, reason)
		}
		delete(waitsFor, f.Name)
	}
	if len(waitsFor) > 0 {
		t.Errorf("functions without a row: %v", waitsFor)
	}

	// Root calls of goroutines, and what is before and after them: some us, and in main.main the start of
	// the other trace.
	other := goroutineStates(t, trace)
	for _, g := range timedRows(t, recording, "goroutine") {
		got := g.Reasons
		if got == nil {
			got = make(map[string]int64)
		}
		got["channel"] += got["timer"]
		delete(got, "timer")
		got["runnable"] = g.Runnable
		for reason, want := range other[g.Goroutine] {
			if reason == "running" {
				continue
			}
			const slack = 200_000 // ns
			if d := got[reason] - want; max(d, -d) > want/50+slack {
				t.Errorf("goroutine %d: %s for %d ns; runtime/trace says %d", g.Goroutine, reason, got[reason], want)
			}
		}
	}
}

// timedRows returns the rows of a report.
func timedRows(t *testing.T, recording, by string) []timed {
	t.Helper()
	out, err := exec.Command(tool(t), "report", "--by", by, "--format", "json", recording).Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Functions   []timed
		ByGoroutine []timed `json:"by_goroutine"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return append(report.Functions, report.ByGoroutine...)
}

var transition = regexp.MustCompile(`StateTransition Time=(\d+) GoID=(\d+) \w+->(\w+) Reason="(.*)"`)

// goroutineStates returns how long each goroutine was in which state, ns, by what runtime/trace says.
func goroutineStates(t *testing.T, trace string) map[uint64]map[string]int64 {
	t.Helper()
	out, err := exec.Command("go", "tool", "trace", "-d=parsed", trace).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"chan receive": "channel", "chan send": "channel", "forever": "channel", "select": "select", "sync": "lock",
		"sync.(*Cond).Wait": "lock", "network": "network", "sleep": "sleep", "coroutine": "coroutine", "": "coroutine",
		"GC mark assist wait for work": "gc", "GC background sweeper wait": "gc", "preempted": "gc", "wait until GC ends": "gc",
	}
	type state struct {
		name  string
		since int64
	}
	now := make(map[uint64]state)
	sums := make(map[uint64]map[string]int64)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := transition.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		at, _ := strconv.ParseInt(m[1], 10, 64)
		id, _ := strconv.ParseUint(m[2], 10, 64)
		if last := now[id]; last.name != "" {
			if sums[id] == nil {
				sums[id] = make(map[string]int64)
			}
			sums[id][last.name] += at - last.since
		}
		if now[id].name == "" && m[3] != "Running" {
			continue // it has not run yet, and so has no call
		}
		name := map[string]string{"Running": "running", "Runnable": "runnable", "Syscall": "syscall"}[m[3]]
		if m[3] == "Waiting" {
			if name = names[m[4]]; name == "" {
				name = "other: " + m[4]
			}
		}
		now[id] = state{name, at}
	}
	if len(sums) == 0 {
		t.Fatalf("%s: no goroutine is in it", trace)
	}
	return sums
}
