package endtoend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// The program waits in all the ways there are. Running, runnable and waiting add up to the total of
// each of its functions. By reason they are what package runtime/trace says of the same run.
func TestWaits(t *testing.T) {
	if !*waits {
		t.Skip("not asked for: make test-waits")
	}
	prog := instrument(t, "waits", "--all", "--closures")
	dir := t.TempDir()
	recording, trace, sums := filepath.Join(dir, "waits.wmt"), filepath.Join(dir, "trace"), filepath.Join(dir, "sums")
	cmd := exec.Command(prog, trace)
	cmd.Env = append(os.Environ(), "WAYMARK=record,stats,waiting,o="+recording+",latest="+sums)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}

	waitsFor := map[string]string{
		"main.channel": "channel", "main.locked": "lock", "main.lock": "waitgroup", "main.selects": "select", "main.sleep": "sleep", "main.timer": "timer",
		"main.network": "network", "main.system": "syscall", "main.cgo": "cgo", "main.pull": "coroutine", "main.forever": "channel",
	}
	functions := timedRows(t, recording, "function")
	for _, f := range functions {
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
	compareSums(t, functions, sums)
	checkCritical(t, recording)

	// Root calls of goroutines, and what is before and after them: some us, and in main.main the start of
	// the other trace.
	other := goroutineStates(t, trace)
	new := readyBefore(t, recording)
	for _, g := range timedRows(t, recording, "goroutine") {
		got := g.Reasons
		if got == nil {
			got = make(map[string]int64)
		}
		got["channel"] += got["timer"]
		got["lock"] += got["waitgroup"] + got["cond"] + got["runtime"]
		got["syscall"] += got["cgo"] // to the runtime they are one
		got["runnable"], got["new"] = g.Runnable, new[g.Goroutine]
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

// checkCritical checks that the critical path of main.main adds up, and follows who woke and started whom.
func checkCritical(t *testing.T, recording string) {
	t.Helper()
	read := func(v any, args ...string) {
		t.Helper()
		out, err := exec.Command(tool(t), append([]string{"traces", "--format", "json"}, args...)...).Output()
		if err == nil {
			err = json.Unmarshal(out, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var list []struct{ Key string }
	read(&list, "--root", "main.main", recording)
	if len(list) != 1 {
		t.Fatalf("%d traces of main.main, want 1", len(list))
	}
	var path struct {
		Duration int64 `json:"duration_ns"`
		Critical []struct {
			Duration int64 `json:"duration_ns"`
			State    string
			Function string
			Woken    uint64 `json:"woken_by"`
			Started  uint64 `json:"started_by"`
		}
	}
	read(&path, "--critical", recording, list[0].Key)
	sum, found := int64(0), make(map[string]bool)
	for _, s := range path.Critical {
		sum += s.Duration
		found[s.State+" "+s.Function] = true
		found["woken"] = found["woken"] || s.Woken != 0
		found["started"] = found["started"] || s.Started != 0
	}
	if sum != path.Duration {
		t.Errorf("the segments of the critical path take %d ns, the trace %d", sum, path.Duration)
	}
	for _, want := range []string{
		"running main.channel.func1", "waiting main.locked", "waiting main.selects.func1", "waiting main.sleep", "waiting main.timer",
		"waiting main.network", "waiting main.system", "waiting main.cgo", "running main.numbers.func1", "woken", "started",
	} {
		if !found[want] {
			t.Errorf("the critical path has nothing that is %s", want)
		}
	}
}

// compareSums compares statistics with the recording of the same run.
func compareSums(t *testing.T, recorded []timed, file string) {
	t.Helper()
	var sums struct{ Functions []timed }
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &sums)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(sums.Functions) != len(recorded) {
		t.Errorf("statistics of %d functions; the recording has %d", len(sums.Functions), len(recorded))
	}
	for _, f := range recorded {
		i := slices.IndexFunc(sums.Functions, func(s timed) bool { return s.Name == f.Name })
		if i < 0 {
			continue
		}
		s := sums.Functions[i]
		near := func(got, want int64) bool { d := got - want; return max(d, -d) <= want/100+200_000 } // a call's two beginnings are apart
		if s.Running+s.Runnable+s.Waiting != s.Total || s.SelfRuns+s.SelfReady+s.SelfWaits != s.Self ||
			!near(s.Runnable, f.Runnable) || !near(s.SelfReady, f.SelfReady) ||
			f.Name != "main.forever" && (!near(s.Waiting, f.Waiting) || !near(s.SelfWaits, f.SelfWaits)) { // it goes on
			t.Errorf("statistics: %+v; the recording has %+v", s, f)
		}
	}
}

// readyBefore returns how long goroutines were ready before they ran, ns.
func readyBefore(t *testing.T, recording string) map[uint64]int64 {
	t.Helper()
	out, err := exec.Command(tool(t), "traces", "--all-roots", "--format", "json", recording).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Goroutine uint64
		Ready     int64 `json:"ready_before_ns"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	ready := make(map[uint64]int64)
	for _, tr := range list {
		ready[tr.Goroutine] += tr.Ready
	}
	return ready
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

var transition = regexp.MustCompile(`StateTransition Time=(\d+) GoID=(\d+) (\w+)->(\w+) Reason="(.*)"`)

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
		if (now[id].name == "" || now[id].name == "new") && m[4] != "Running" {
			if m[3] == "NotExist" && m[4] == "Runnable" {
				now[id] = state{"new", at}
			}
			continue // it has not run yet, and so has no call
		}
		name := map[string]string{"Running": "running", "Runnable": "runnable", "Syscall": "syscall"}[m[4]]
		if m[4] == "Waiting" {
			if name = names[m[5]]; name == "" {
				name = "other: " + m[5]
			}
		}
		now[id] = state{name, at}
	}
	if len(sums) == 0 {
		t.Fatalf("%s: no goroutine is in it", trace)
	}
	return sums
}
