//go:build linux && amd64

package patch

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

var (
	cost    = flag.Bool("cost", false, "run TestCost, on a machine that does nothing else")
	command = flag.String("waymark", "", "the command waymark, for the rewriting engine beside")
	figures = flag.String("figures", "", "a file to write the figures to, as CSV")
)

// A rung is what is measured beside others: ns of a call of each of the program's functions.
type rung struct {
	name string
	run  func() took
	took []took
}

// What calls of Leaf, Recursion, Text and Struct took, ns.
type took [4]float64

// median returns the median of what calls of a function took.
func (r *rung) median(function int) float64 {
	var list []float64
	for _, t := range r.took {
		list = append(list, t[function])
	}
	return median(list)
}

func median(list []float64) float64 { return slices.Sorted(slices.Values(list))[len(list)/2] }

// Rungs take turns: two readings of the clock, a plain program, the same one patched, with callers, and when nothing of it
// is left; one that waymark has built, and one with a uprobe.
func TestCost(t *testing.T) {
	if !*cost {
		t.Skip("make bench-attach")
	}
	const rounds, number = 11, 2_000_000
	program := builtOf(t, "cost", nil)
	w := start(t, program)
	measure := func(w *worker, calls int) (took took) {
		t.Helper()
		fmt.Fprintln(w.in, calls)
		if !w.out.Scan() {
			t.Fatal("the program has ended")
		}
		if _, err := fmt.Sscanf(w.out.Text(), "took %f %f %f %f", &took[0], &took[1], &took[2], &took[3]); err != nil {
			t.Fatal(err)
		}
		return took
	}
	plain := func() took { return measure(w, number) }
	lost := uint64(0)
	patched := func(wanted func(*Target, string) Wanted) func() took {
		return func() took {
			target := w.attach()
			defer target.Close()
			var list []Wanted
			for _, name := range []string{"Leaf", "Recursion", "Text", "Struct"} {
				list = append(list, wanted(target, name))
			}
			if report, err := target.Want(list); err != nil || report.Functions != len(list) {
				t.Fatalf("%+v, %v", report, err)
			}
			stop, done := make(chan struct{}), make(chan struct{})
			go func() {
				drained(target, func(*Part) {}, stop)
				close(done)
			}()
			measure(w, number) // the memory for events is used for the first time
			took := measure(w, number)
			close(stop)
			<-done
			for _, n := range target.Drops() {
				lost += n
			}
			return took
		}
	}
	calls := func(r trampoline.Record) func(*Target, string) Wanted {
		return func(target *Target, name string) Wanted {
			return Wanted{Func: target.Image.Named("main." + name), Record: r}
		}
	}
	values := func(target *Target) *Values {
		if target.values == nil {
			if _, err := target.Values(nil, capture.Limits{Bytes: 256, Depth: 2}); err != nil {
				t.Fatal(err)
			}
		}
		return target.values
	}
	marked := markedLines(t, "testdata/cost/main.go")
	floor := clockReads(t)
	rungs := []*rung{
		{name: "two readings of the clock", run: func() took {
			begin := time.Now()
			floor(number)
			ns := float64(time.Since(begin)) / number
			return took{ns, ns, ns, ns}
		}},
		{name: "plain", run: plain},
		{name: "patched", run: patched(calls(trampoline.Record{}))},
		{name: "with values", run: patched(func(target *Target, name string) Wanted {
			w := calls(trampoline.Record{})(target, name)
			w.Record = values(target).Record(w.Func, w.Record)
			return w
		})},
		{name: "one caller", run: patched(calls(trampoline.Record{Callers: 1}))},
		{name: "only counted", run: patched(calls(trampoline.Record{Count: true}))},
		{name: "a line", run: patched(func(target *Target, name string) Wanted {
			lines, _, err := values(target).Lines("main.go", marked[name])
			if err != nil || len(lines) != 1 {
				t.Fatal(lines, err)
			}
			return Wanted{Func: lines[0].Func, Line: lines[0], Record: lines[0].Record(trampoline.Record{})}
		})},
		{name: "undone", run: plain},
	}
	if *command != "" {
		rewritten := filepath.Join(t.TempDir(), "rewritten")
		build := exec.Command(*command, "build", "--all", "-o", rewritten, "main.go")
		build.Dir, build.Env = "testdata/cost", append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		on := start(t, rewritten, "WAYMARK=record,overflow=drop,o="+filepath.Join(t.TempDir(), "cost.wmt"))
		off := start(t, rewritten, "WAYMARK=agent=0")
		rungs = append(rungs, &rung{name: "built by waymark, off", run: func() took { return measure(off, number) }},
			&rung{name: "built by waymark, recorded", run: func() took { return measure(on, number) }})
	}
	if bpftrace, err := exec.LookPath("bpftrace"); err == nil && os.Geteuid() == 0 {
		program := builtOf(t, "cost", nil) // another file: a uprobe is in all processes of its file
		probed := start(t, program)
		c := exec.Command(bpftrace, "-p", fmt.Sprint(probed.cmd.Process.Pid), "-e", fmt.Sprintf("uprobe:%s:main.Leaf { @leaf = count(); } uprobe:%[1]s:main.Recursion { @deep = count(); } uprobe:%[1]s:main.Text { @text = count(); } uprobe:%[1]s:main.Struct { @struct = count(); } BEGIN { printf(\"ready\\n\"); }", program))
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer c.Wait()
		defer c.Process.Signal(syscall.SIGINT)
		for text := []byte{}; !strings.Contains(string(text), "ready"); {
			b := make([]byte, 256)
			n, err := out.Read(b)
			if text = append(text, b[:n]...); err != nil {
				t.Fatalf("bpftrace: %v: %s", err, text)
			}
		}
		go func() { // until the end
			for b := make([]byte, 4096); ; {
				if _, err := out.Read(b); err != nil {
					return
				}
			}
		}()
		rungs = append(rungs, &rung{name: "a uprobe, beginnings only", run: func() took { return measure(probed, number/100) }})
	}
	for range rounds {
		for _, r := range rungs {
			r.took = append(r.took, r.run())
		}
	}
	two, plainly := rungs[0].median(0), rungs[1]
	rows := [][]string{{"engine"}}
	for _, name := range []string{"two ints and a result", "a level", "int and text", "a struct"} {
		rows[0] = append(rows[0], name+", ns", "added ns", "x clock")
	}
	for _, r := range rungs {
		row := []string{r.name}
		for f := range took(r.took[0]) {
			ns := r.median(f)
			added := ns - plainly.median(f)
			row = append(row, fmt.Sprintf("%.1f", ns), fmt.Sprintf("%.1f", added), fmt.Sprintf("%.2f", added/two))
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		t.Log(strings.Join(row, "  "))
	}
	t.Logf("medians of %d rounds of %d calls; %d calls found no room", rounds, number, lost)
	if *figures != "" {
		f, err := os.Create(*figures)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := csv.NewWriter(f).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
	}
}

// clockReads returns a function that reads the time stamp counter twice in each of n rounds, and does nothing else.
func clockReads(t *testing.T) func(n int) {
	t.Helper()
	code := []byte{
		0x48, 0x89, 0xC1, // MOVQ AX, CX
		0x0F, 0x31, 0x48, 0xC1, 0xE2, 0x20, 0x48, 0x09, 0xD0, // RDTSC; SHLQ $32, DX; ORQ DX, AX
		0x0F, 0x31, 0x48, 0xC1, 0xE2, 0x20, 0x48, 0x09, 0xD0,
		0x48, 0xFF, 0xC9, // DECQ CX
		0x75, 0xE9, // JNE to the first RDTSC
		0xC3,
	}
	memory, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err == nil {
		copy(memory, code)
		err = syscall.Mprotect(memory, syscall.PROT_READ|syscall.PROT_EXEC)
	}
	if err != nil {
		t.Skip(err)
	}
	entry := unsafe.Pointer(&memory[0])
	closure := &entry
	return *(*func(int))(unsafe.Pointer(&closure))
}

// How long a program stands still while 10,000 of its functions are patched, and while 100,000 goroutines wait.
func TestPause(t *testing.T) {
	if !*cost {
		t.Skip("make bench-attach")
	}
	if *command != "" { // which has so many functions, and waits for what it reads
		cmd := exec.Command(*command, "mcp")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		pauses(t, "waymark mcp", cmd.Process.Pid)
		in.Close()
		cmd.Wait()
	}
	w := start(t, builtOf(t, "many", nil), "MANY=100000")
	pauses(t, "100,000 goroutines", w.cmd.Process.Pid)
}

func pauses(t *testing.T, name string, pid int) {
	t.Helper()
	var attach, detach, all []float64
	functions := 0
	for range 11 {
		begin := time.Now()
		target, err := Attach(pid, false)
		if err != nil {
			t.Fatal(err)
		}
		var list []Wanted
		for _, f := range target.Image.Funcs {
			if !f.Runtime() && !f.Wrapper() && !f.Assembly() && len(list) < 11_600 {
				list = append(list, Wanted{Func: f})
			}
		}
		report, err := target.Want(list)
		if err != nil {
			t.Fatal(err)
		}
		functions = report.Functions
		attach, all = append(attach, report.Stopped.Seconds()*1e3), append(all, time.Since(begin).Seconds()*1e3)
		if report, err = target.Want(nil); err != nil {
			t.Fatal(err)
		}
		detach = append(detach, report.Stopped.Seconds()*1e3)
		if err := target.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: %d functions, stopped for %.1f ms (longest %.1f), in all %.0f ms; to undo it %.1f ms (longest %.1f)", name, functions,
		median(attach), slices.Max(attach), median(all), median(detach), slices.Max(detach))
}
