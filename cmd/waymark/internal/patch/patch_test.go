//go:build linux && amd64

package patch

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Each call is counted, on whatever build, and nothing is left.
func TestCounts(t *testing.T) {
	for _, build := range []struct {
		name string
		long bool // the standard library is compiled for it
		env  []string
		args []string
	}{
		{"plain", false, nil, nil},
		{"stripped", false, nil, []string{"-ldflags=-s -w"}},
		{"PIE", true, nil, []string{"-buildmode=pie"}},
		{"not optimised", true, nil, []string{"-gcflags=all=-N -l"}},
		{"v3", true, []string{"GOAMD64=v3"}, nil},
		{"race", true, []string{"CGO_ENABLED=1"}, []string{"-race"}},
		{"go1.25.0", true, []string{"GOTOOLCHAIN=go1.25.0"}, nil},
		{"go1.25.0 stripped", true, []string{"GOTOOLCHAIN=go1.25.0"}, []string{"-ldflags=-s -w"}},
		{"go1.27", true, []string{"GOTOOLCHAIN=go1.27.2"}, nil},
		{"go1.27 stripped", true, []string{"GOTOOLCHAIN=go1.27.2"}, []string{"-ldflags=-s -w"}},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.long && !*long {
				t.Skip("compiles the standard library: make test-attach")
			}
			program := built(t, build.env, build.args...)
			counts(t, program)
			onlyCounted(t, program)
		})
	}
}

// unmarked returns how many events of a code found no room.
func (t *Target) unmarked(code uint64) (n int64) {
	for _, s := range t.marks {
		if trampoline.Marks[int(s.Number)-mostSites].Code == code {
			begins, ends := t.Dropped(s.Number)
			n += int64(begins + ends)
		}
	}
	return n
}

var long = flag.Bool("long", false, "run what takes long, too")

func counts(t *testing.T, program string, env ...string) {
	w := start(t, program, append(env, "WORK_GC=1")...)
	target := w.attach()
	defer target.Close()
	report, err := target.Want(ofMain(target.Image))
	if err != nil {
		t.Fatal(err)
	}
	for f, err := range report.Refused {
		t.Logf("%s: %v", f.Name, err)
	}
	t.Logf("%+v", *report)
	c := newTally()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		drained(target, c.add, stop)
		close(done)
	}()
	const rounds = 20000
	want := w.work(rounds)
	close(stop)
	<-done
	got, dropped := make(map[string]int64), int64(0)
	for _, s := range target.sites[1:] {
		b, _ := target.Dropped(s.Number)
		name, _, generic := strings.Cut(s.Func.Name, "[")
		if generic {
			name += "[...]"
		}
		got[name] += c.begins[s.Number] + int64(b)
		dropped += int64(b)
	}
	for name, n := range want {
		if report.Refused[target.Image.Named(name)] != nil {
			t.Logf("%s can't be patched", name)
		} else if got[name] != n {
			t.Errorf("%s: %d calls, the program made %d", name, got[name], n)
		}
	}
	// The program starts a goroutine for each of its workers, and one for each call of exits_. So does the runtime at
	// times.
	ended := want["main.exits_"]
	for code, n := range map[uint64]int64{format.CodePanic: 4 * rounds / 2, format.CodeRecover: 4 * rounds / 2, format.CodeGoexit: ended} {
		if got := c.codes[code] + target.unmarked(code); got != n {
			t.Errorf("%d events of code %d, want %d", got, code, n)
		}
	}
	for _, code := range []uint64{format.CodeSpawn, format.CodeEnd} {
		const others = 20
		if got := c.codes[code] + target.unmarked(code); got < ended || got > ended+4+others {
			t.Errorf("%d events of code %d, want %d", got, code, ended+4)
		}
	}
	marked := 0
	for _, m := range trampoline.Marks {
		if target.Image.Named(m.Function) != nil {
			marked++
		}
	}
	if target.Image.Frames(target.Image.Named("main.main").Entry) == nil || len(target.marks) != marked {
		t.Errorf("%d of the runtime's functions are patched", len(target.marks))
	}
	t.Logf("%d dropped, %v", dropped, c.codes)
	w.undone(target)
	w.work(100)
	w.end()
}

// onlyCounted counts calls in the trampolines, and records them in turn. Each call is counted or recorded.
func onlyCounted(t *testing.T, program string) {
	w := start(t, program, "WORK_GC=1")
	target := w.attach()
	defer target.Close()
	var refused map[*image.Func]error // of calls that are to be recorded
	want := func(count func() bool) {
		t.Helper()
		list := ofMain(target.Image)
		for i := range list {
			list[i].Record.Count = count()
		}
		report, err := target.Want(list)
		if err != nil {
			t.Fatal(err)
		}
		for f, err := range report.Refused {
			if refused != nil && refused[f] == nil {
				t.Errorf("%s can't be counted: %v", f.Name, err)
			}
		}
		if refused == nil {
			refused = report.Refused
		}
	}
	want(func() bool { return false })
	want(func() bool { return true })
	if n := target.Patched(); n != len(ofMain(target.Image)) {
		t.Logf("%d functions can be counted, %d recorded", n, len(ofMain(target.Image))-len(refused))
	}
	first := w.work(1000)
	counted, err := target.Counted()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range target.sites[1:] {
		if n, known := first[s.Func.Name]; known && s.on && int64(counted[s]) != n {
			t.Errorf("%s: %d calls counted, the program made %d", s.Func.Name, counted[s], n)
		}
	}
	c := newTally()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		drained(target, c.add, stop)
		close(done)
	}()
	const rounds = 40000
	fmt.Fprintln(w.in, "go", rounds)
	switches := 0
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); switches++ {
		time.Sleep(time.Millisecond)
		want(func() bool { return rand.IntN(2) > 0 })
	}
	made := w.counts()
	close(stop)
	<-done
	if counted, err = target.Counted(); err != nil {
		t.Fatal(err)
	}
	both := 0
	for _, s := range target.sites[1:] {
		lost, _ := target.Dropped(s.Number)
		got, n := int64(counted[s])+c.begins[s.Number]+int64(lost), first[s.Func.Name]+made[s.Func.Name]
		if _, known := made[s.Func.Name]; known && refused[s.Func] == nil && got != n {
			t.Errorf("%s: %d calls counted, %d recorded, %d dropped: the program made %d", s.Func.Name, counted[s], c.begins[s.Number], lost, n)
		}
		if counted[s] > 0 && c.begins[s.Number] > 0 {
			both++
		}
	}
	t.Logf("%d times switched; %d functions were counted and recorded", switches, both)
	if both == 0 {
		t.Error("no function was counted and recorded")
	}
	w.undone(target)
	w.end()
}

// Attaching and detaching again and again, while the program works, changes nothing that it does.
func TestCycles(t *testing.T) {
	program := built(t, nil)
	for _, procs := range []string{"1", "2", "8"} {
		w := start(t, program, "WORK_GC=1", "GOMAXPROCS="+procs)
		plain := w.work(2000)
		end := time.Now().Add(*cycling)
		fmt.Fprintln(w.in, "go", 200000)
		cycles, deferred := 0, 0
		var stopped time.Duration
		for time.Now().Before(end) {
			target := w.attach()
			report, err := target.Want(ofMain(target.Image))
			if err != nil {
				t.Fatalf("cycle %d: %v", cycles, err)
			}
			deferred += len(report.Deferred)
			stopped = max(stopped, report.Stopped)
			time.Sleep(time.Duration(cycles%5) * time.Millisecond)
			if err := target.Close(); err != nil {
				t.Fatalf("cycle %d: %v", cycles, err)
			}
			if cycles++; target.Restored != 0 {
				t.Errorf("cycle %d: %d jumps were left", cycles, target.Restored)
			}
		}
		t.Logf("GOMAXPROCS %s: %d cycles, %d functions deferred, stopped for %v at most", procs, cycles, deferred, stopped)
		target := w.attach()
		if n, err := target.Differences(); n != 0 || err != nil {
			t.Errorf("%d bytes differ from the file, %v", n, err)
		}
		target.Close()
		if got := w.counts(); got["main.frame"] != 100*plain["main.frame"] || got["main.panics_"] != 100*plain["main.panics_"] {
			t.Errorf("the program made %v calls, without patches %v in a hundredth of the rounds", got, plain)
		}
		w.end()
	}
}

var cycling = flag.Duration("cycling", 3*time.Second, "how long TestCycles runs with each number of CPUs")

// TestMain is a tracer that is to be killed, or has a program without a system call, if the environment says so.
func TestMain(m *testing.M) {
	if program := os.Getenv("WAYMARK_TEST_FORBIDS"); program != "" {
		fmt.Fprintln(os.Stderr, forbid(program))
		os.Exit(1)
	}
	if pid, err := strconv.Atoi(os.Getenv("WAYMARK_TEST_TRACES")); err == nil {
		target, err := Attach(pid, false)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for {
			if _, err := target.Want(ofMain(target.Image)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
				target.Drain(false, 0, func(*Part) {})
			}
			target.Want(nil)
		}
	}
	os.Exit(m.Run())
}

// A program goes on whose tracer was killed at whatever moment, and the next one undoes what is left.
func TestKilled(t *testing.T) {
	w := start(t, built(t, nil), "WORK_GC=1")
	w.attach().Close()
	if scope, _ := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); os.Geteuid() != 0 && len(scope) > 0 && scope[0] != '0' {
		t.Skip("only root may trace what another process has started")
	}
	plain := w.work(500)
	mended := 0
	for i := range *killing {
		fmt.Fprintln(w.in, "go", 500)
		tracer := exec.Command(os.Args[0])
		tracer.Env, tracer.Stderr = append(os.Environ(), fmt.Sprint("WAYMARK_TEST_TRACES=", w.cmd.Process.Pid)), os.Stderr
		if err := tracer.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
		tracer.Process.Kill()
		tracer.Wait()
		if got := w.counts(); got["main.frame"] != plain["main.frame"] || got["main.deep"] != plain["main.deep"] {
			t.Fatalf("kill %d: the program made %v calls, %v without a tracer", i, got, plain)
		}
		target := w.attach()
		if target.Restored > 0 {
			mended++
		}
		if n, err := target.Differences(); n != 0 || err != nil {
			t.Fatalf("kill %d: %d bytes differ from the file, %v", i, n, err)
		}
		if maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", w.cmd.Process.Pid)); strings.Contains(string(maps), memoryName) {
			t.Fatalf("kill %d: memory is left", i)
		}
		target.Close()
	}
	t.Logf("%d of %d kills had left patches", mended, *killing)
	w.end()
}

var killing = flag.Int("killing", 8, "how often TestKilled kills")

// What another program changes in patched code meanwhile is left, and so is what stands behind it. When it is gone the next
// waymark undoes the rest.
func TestOthersChanges(t *testing.T) {
	w := start(t, built(t, nil))
	target := w.attach()
	if _, err := target.Want(ofMain(target.Image)); err != nil {
		t.Fatal(err)
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", w.cmd.Process.Pid), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	patched := target.sites[1].places[0]
	elsewhere := int64(target.Image.Named("fmt.(*pp).badVerb").Entry + target.bias) // nobody calls it
	mem.WriteAt([]byte{breakpoint}, int64(patched.at))
	mem.WriteAt([]byte{breakpoint}, elsewhere)
	if err := target.Close(); err == nil || !strings.Contains(err.Error(), "another program has changed 1 of the patches") {
		t.Errorf("closed: %v", err)
	}
	b := make([]byte, displace.Jump)
	if mem.ReadAt(b, int64(patched.at)); b[0] != breakpoint || !bytes.Equal(b[1:], patched.original[1:]) {
		t.Errorf("the patch with the breakpoint is %x, want %x behind it", b, patched.original[1:])
	}
	mem.WriteAt(patched.original[:1], int64(patched.at)) // the breakpoint goes
	again := w.attach()
	if n, err := again.Differences(); n != 1 || err != nil {
		t.Errorf("%d bytes differ, %v; want the other breakpoint alone", n, err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", w.cmd.Process.Pid)); strings.Contains(string(maps), memoryName) {
		t.Error("memory is left")
	}
	w.work(100)
	w.end()
}

// Where another program has changed one of the runtime's functions, as a uprobe does, nothing of it is touched, and all
// others are patched.
func TestOthersMarks(t *testing.T) {
	w := start(t, built(t, nil))
	target := w.attach()
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", w.cmd.Process.Pid), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	f := target.Image.Named("runtime.Goexit") // nobody calls it while there is a breakpoint
	want := append([]byte{breakpoint}, f.Code()[1:16]...)
	at := int64(f.Entry + target.bias)
	mem.WriteAt(want[:1], at)
	report, err := target.Want(ofMain(target.Image))
	if err != nil || report.Functions == 0 || !slices.Equal(report.Lost, []string{"runtime.Goexit"}) {
		t.Errorf("%+v, %v", report, err)
	}
	got := make([]byte, len(want))
	if mem.ReadAt(got, at); !bytes.Equal(got, want) {
		t.Errorf("while it is patched there is %x, want %x", got, want)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	if mem.ReadAt(got, at); !bytes.Equal(got, want) {
		t.Errorf("then there is %x, want %x", got, want)
	}
	mem.WriteAt(f.Code()[:1], at)
	w.work(300)
	w.end()
}

// A process that stands still is left as it is, and said so.
func TestStandingStill(t *testing.T) {
	w := start(t, built(t, nil))
	w.cmd.Process.Signal(syscall.SIGSTOP)
	target := w.attach()
	if _, err := target.Want(ofMain(target.Image)); err == nil || !strings.Contains(err.Error(), "is stopped: let it go on") {
		t.Errorf("patched: %v", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	w.cmd.Process.Signal(syscall.SIGCONT)
	target = w.attach()
	if r, err := target.Want(ofMain(target.Image)); err != nil || r.Functions == 0 {
		t.Errorf("when it goes on: %v", err)
	}
	w.work(100)
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	w.end()
}
