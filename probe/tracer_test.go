//go:build linux && (amd64 || arm64)

package probe

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests here attach bpftrace and perf to copies of the test's own program, which do what the
// variable says.
const programVariable = "WAYMARK_PROBE_TEST"

func TestMain(m *testing.M) {
	if run, ok := programs[os.Getenv(programVariable)]; ok {
		run()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// programs are what copies of the test's program do: they read commands from stdin until it ends.
var programs = map[string]func(){
	"example": exampleProgram, "types": typesProgram, "count": countProgram, "two": twoProgram,
}

// serve obeys commands. To sync the program fires sync, if somebody looks at all the other probes.
func serve(sync *P0, commands map[string]func(), others ...Interface) {
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if f := commands[lines.Text()]; f != nil {
			f()
			continue
		}
		all := true
		for _, p := range others {
			for _, one := range p.Probes() {
				all = all && one.Enabled()
			}
		}
		if all {
			sync.Fire()
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

type myProvider struct {
	Provider    `probe:"MyProvider"`
	startProbe  P0
	finishProbe P1[int]
	sync        P0
}

func exampleProgram() {
	var trace myProvider
	must(Register(&trace))
	serve(&trace.sync, map[string]func(){
		"fire": func() {
			trace.startProbe.Fire()
			trace.finishProbe.Fire(42)
		},
		"again": func() {
			must(trace.Dispose())
			trace.startProbe.Fire()
			must(Register(&trace))
		},
	}, &trace)
	trace.Dispose()
}

// A tracee is a running copy.
type tracee struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startProgram starts a copy that does what program says, until the test ends.
func startProgram(t *testing.T, program string) *tracee {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &tracee{t: t, cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), programVariable+"="+program)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.end)
	p.out = bufio.NewScanner(out)
	if !p.out.Scan() || p.out.Text() != "ready" {
		t.Fatalf("the program says %q, want ready", p.out.Text())
	}
	return p
}

func (p *tracee) tell(command string) { fmt.Fprintln(p.in, command) }

// end ends the program, which must not have crashed.
func (p *tracee) end() {
	if p.in == nil {
		return
	}
	p.in.Close()
	p.in = nil
	for p.out.Scan() {
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the program ends with %v", err)
	}
}

func (p *tracee) pid() string { return strconv.Itoa(p.cmd.Process.Pid) }

// A tracer is a running bpftrace.
type tracer struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	said  bytes.Buffer // stderr
}

// needTracer skips the test, aloud, where bpftrace can't be had.
func needTracer(t *testing.T) {
	t.Helper()
	switch _, err := exec.LookPath("bpftrace"); {
	case err != nil:
		t.Skip("bpftrace is not installed: apt-get install bpftrace, or make test-usdt")
	case os.Geteuid() != 0:
		t.Skip("only root may attach bpftrace")
	}
	if _, err := os.Stat("/sys/kernel/tracing/uprobe_events"); err != nil {
		t.Skip("tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing, or make test-usdt")
	}
	if out, err := exec.Command("bpftrace", "-e", "BEGIN { exit(); }").CombinedOutput(); err != nil {
		t.Skipf("bpftrace can do nothing here: %v: %s", err, out)
	}
}

// attachTo attaches bpftrace to a program, and returns when all of the script is attached. bpftrace
// prints sync for the probe that the program fires then, see serve.
func attachTo(t *testing.T, p *tracee, script string, flags ...string) *tracer {
	t.Helper()
	b := &tracer{t: t, lines: make(chan string, 1<<16)}
	b.cmd = exec.Command("bpftrace", append([]string{"-B", "none", "-p", p.pid(), "-e", script}, flags...)...)
	b.cmd.Env = append(os.Environ(), "BPFTRACE_STRLEN=200")
	b.cmd.Stderr = &b.said
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.cmd.Process.Kill() })
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			b.lines <- s.Text()
		}
		close(b.lines)
	}()
	deadline := time.After(5 * time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case line, ok := <-b.lines:
			if !ok {
				t.Fatalf("bpftrace has ended: %s", &b.said)
			}
			if line == "sync" {
				return b
			}
		case <-tick.C:
			p.tell("sync")
		case <-deadline:
			t.Fatalf("bpftrace is not attached after 5 minutes: %s", &b.said)
		}
	}
}

// next returns the next line that isn't of sync.
func (b *tracer) next() string {
	b.t.Helper()
	for {
		select {
		case line, ok := <-b.lines:
			if !ok {
				b.t.Fatalf("bpftrace has ended: %s", &b.said)
			}
			if line != "sync" && line != "" {
				return line
			}
		case <-time.After(5 * time.Minute):
			b.t.Fatal("bpftrace says nothing more for 5 minutes")
		}
	}
}

// detach ends bpftrace, and returns its other lines. bpftrace may forget a signal that comes just when
// it has attached. A second one ends it while it is detaching, as that takes long on a busy machine.
func (b *tracer) detach() (lines []string) {
	b.t.Helper()
	b.cmd.Process.Signal(syscall.SIGINT)
	again := time.NewTicker(3 * time.Second)
	defer again.Stop()
	twice := false
	for {
		select {
		case <-again.C:
			b.cmd.Process.Signal(syscall.SIGINT)
			twice = true
		case line, ok := <-b.lines:
			if !ok {
				if err := b.cmd.Wait(); err != nil && !(twice && err.Error() == "signal: interrupt") {
					b.t.Errorf("bpftrace ends with %v: %s", err, &b.said)
				}
				return lines
			}
			if line != "sync" && line != "" {
				lines = append(lines, line)
			}
		}
	}
}

// The document's program: bpftrace lists its probes, and sees start, finish and arg0.
func TestTracerExample(t *testing.T) {
	needTracer(t)
	p := startProgram(t, "example")
	list, err := exec.Command("bpftrace", "-p", p.pid(), "-l", "usdt:*").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"startProbe", "finishProbe"} {
		if !regexp.MustCompile(`(?m)^usdt:/proc/` + p.pid() + `/fd/\d+:MyProvider:` + name + `$`).Match(list) {
			t.Errorf("bpftrace lists\n%swant MyProvider:%s", list, name)
		}
	}
	b := attachTo(t, p, `
		usdt:*:MyProvider:startProbe { printf("start\n"); }
		usdt:*:MyProvider:finishProbe { printf("finish %d\n", arg0); }
		usdt:*:MyProvider:sync { printf("sync\n"); }`)
	p.tell("fire")
	want(t, "the first line", b.next(), "start")
	want(t, "the second line", b.next(), "finish 42")
	want(t, "other lines", len(b.detach()), 0)
	p.tell("fire") // nobody looks
}

// A provider goes and comes again while tracers are attached: the old one's tracer sees nothing more,
// a new one's sees the new one.
func TestTracerDispose(t *testing.T) {
	needTracer(t)
	p := startProgram(t, "example")
	script := `
		usdt:*:MyProvider:startProbe { printf("start\n"); }
		usdt:*:MyProvider:finishProbe { printf("finish %d\n", arg0); }
		usdt:*:MyProvider:sync { printf("sync\n"); }`
	for i := 0; i < 3; i++ {
		b := attachTo(t, p, script)
		p.tell("fire")
		want(t, "the first line", b.next(), "start")
		want(t, "the second line", b.next(), "finish 42")
		p.tell("again")
		p.tell("fire")
		c := attachTo(t, p, script) // by then the program has fired
		p.tell("fire")
		want(t, "the first line", c.next(), "start")
		want(t, "the second line", c.next(), "finish 42")
		want(t, "other lines", len(b.detach()), 0)
		want(t, "other lines", len(c.detach()), 0)
	}
}

// A typed is a probe with one argument, and values of it.
type typed struct {
	name   string
	format string // of bpftrace
	fire   func()
	want   string
}

type types struct {
	Provider
	I8  P1[int8]
	I16 P1[int16]
	I32 P1[int32]
	I64 P1[int64]
	I   P1[int]
	U8  P1[uint8]
	U16 P1[uint16]
	U32 P1[uint32]
	U64 P1[uint64]
	U   P1[uint]
	Ptr P1[uintptr]
	B   P1[bool]
	F32 P1[float32]
	F64 P1[float64]
	S   P1[string]
	Dur P1[time.Duration]
	Ref P2[*int, int]
	All P12[int8, string, int16, float64, uint8, string, bool, uint64, int32, []int, string, int64]
}

type typesAndSync struct {
	Provider
	Sync P0
}

// values returns the firings, and what bpftrace prints of them.
func (p *types) values() (list []typed) {
	add := func(name, format string, want any, fire func()) {
		list = append(list, typed{name, format, fire, fmt.Sprintf("%s %v", name, want)})
	}
	for _, n := range []int64{math.MinInt64, math.MinInt32, math.MinInt16, math.MinInt8, -1, 0, 1, math.MaxInt8, math.MaxInt16, math.MaxInt32, math.MaxInt64} {
		n := n
		add("I8", "%d", int8(n), func() { p.I8.Fire(int8(n)) })
		add("I16", "%d", int16(n), func() { p.I16.Fire(int16(n)) })
		add("I32", "%d", int32(n), func() { p.I32.Fire(int32(n)) })
		add("I64", "%ld", n, func() { p.I64.Fire(n) })
		add("I", "%ld", n, func() { p.I.Fire(int(n)) })
		add("Dur", "%ld", n, func() { p.Dur.Fire(time.Duration(n)) })
		add("U8", "%u", uint8(n), func() { p.U8.Fire(uint8(n)) })
		add("U16", "%u", uint16(n), func() { p.U16.Fire(uint16(n)) })
		add("U32", "%u", uint32(n), func() { p.U32.Fire(uint32(n)) })
		add("U64", "%lu", uint64(n), func() { p.U64.Fire(uint64(n)) })
		add("U", "%lu", uint64(n), func() { p.U.Fire(uint(n)) })
		add("Ptr", "%lu", uint64(n), func() { p.Ptr.Fire(uintptr(n)) })
	}
	add("B", "%d", 1, func() { p.B.Fire(true) })
	add("B", "%d", 0, func() { p.B.Fire(false) })
	for _, f := range []float64{0, math.Copysign(0, -1), 1.5, -2.25, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.Pi} {
		f := f
		add("F64", "%lx", fmt.Sprintf("%x", math.Float64bits(f)), func() { p.F64.Fire(f) })
		add("F32", "%x", fmt.Sprintf("%x", math.Float32bits(float32(f))), func() { p.F32.Fire(float32(f)) })
	}
	for _, s := range []string{"", "x", "hello, world", "grüße, 世界 🙂", strings.Repeat("y", 150)} {
		s := s
		add("S", "<%s>", "<"+s+">", func() { p.S.Fire(s) })
	}
	add("S", "<%s>", "<cut>", func() { p.S.Fire("cut\x00off") })
	n := 5
	add("Ref", "%d %d", "0 7", func() { p.Ref.Fire(&n, 7) })
	add("All", "", "-8 first -16 3ff8000000000000 200\nAll second 1 18446744073709551615 -32\nAll 0 third -64", func() {
		p.All.Fire(-8, "first", -16, 1.5, 200, "second", true, math.MaxUint64, -32, []int{1}, "third", -64)
	})
	return list
}

func typesProgram() {
	var p types
	var s typesAndSync
	must(Register(&p))
	must(Register(&s))
	serve(&s.Sync, map[string]func(){"fire": func() {
		for _, one := range p.values() {
			one.fire()
		}
	}}, &p)
}

// bpftrace reads every type of argument right.
func TestTracerTypes(t *testing.T) {
	needTracer(t)
	p := startProgram(t, "types")
	list := new(types).values()
	// Of probes bpftrace 0.17 knows the first six arguments; the others are in registers, too.
	reg := func(i int) string { return "reg(\"" + registers[i] + "\")" }
	script := `usdt:*:typesAndSync:Sync { printf("sync\n"); }
		usdt:*:types:All {
			printf("All %d %s %d %lx %d\n", arg0, str(arg1), arg2, arg3, arg4);
			printf("All %s %d %lu %ld\n", str(arg5), ` + reg(6) + ", " + reg(7) + ", " + reg(8) + `);
			printf("All %d %s %ld\n", ` + reg(9) + ", str(" + reg(10) + "), " + reg(11) + `);
		}`
	known := map[string]bool{"All": true}
	for _, one := range list {
		if known[one.name] {
			continue
		}
		known[one.name] = true
		args := "arg0"
		switch one.name {
		case "S":
			args = "str(arg0)"
		case "Ref":
			args = "arg0, arg1"
		}
		script += fmt.Sprintf("\nusdt:*:types:%s { printf(\"%s %s\\n\", %s); }", one.name, one.name, one.format, args)
	}
	b := attachTo(t, p, script)
	p.tell("fire")
	for _, one := range list {
		for _, line := range strings.Split(one.want, "\n") {
			if got := b.next(); got != line {
				t.Errorf("bpftrace prints %q, want %q", got, line)
			}
		}
	}
	b.detach()
}

type counting struct {
	Provider
	Fired P2[int, int]
	Sync  P0
}

// countProgram has 4 goroutines fire, each with its number and how often it has fired.
func countProgram() {
	var p counting
	must(Register(&p))
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := 1; i <= 4; i++ {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 1; ; n++ {
				p.Fired.Fire(i, n)
				if n%64 == 0 {
					select {
					case <-stop:
						return
					default:
						time.Sleep(time.Millisecond)
					}
				}
			}
		}()
	}
	serve(&p.Sync, nil, &p)
	close(stop)
	wg.Wait()
	must(p.Dispose())
}

// While 4 goroutines fire, bpftrace attaches and detaches ten times. It gets each firing from the
// first one that it gets to the last one.
func TestTracerLosesNothing(t *testing.T) {
	needTracer(t)
	p := startProgram(t, "count")
	for i := 0; i < 10; i++ {
		b := attachTo(t, p, `
			usdt:*:counting:Fired { @count[arg0] = count(); @first[arg0] = min(arg1); @last[arg0] = max(arg1); }
			usdt:*:counting:Sync { printf("sync\n"); }`)
		time.Sleep(100 * time.Millisecond) // it counts some
		got := map[string]int{}
		for _, line := range b.detach() {
			var name string
			var goroutine, n int
			if _, err := fmt.Sscanf(strings.NewReplacer("[", " ", "]:", " ").Replace(line), "@%s %d %d", &name, &goroutine, &n); err != nil {
				t.Errorf("bpftrace prints %q: %v", line, err)
			}
			got[name+strconv.Itoa(goroutine)] = n
		}
		for g := 1; g <= 4; g++ {
			n := strconv.Itoa(g)
			count, first, last := got["count"+n], got["first"+n], got["last"+n]
			if count == 0 || count != last-first+1 {
				t.Errorf("round %d, goroutine %d: %d firings from number %d to %d, want all", i, g, count, first, last)
			}
			t.Logf("round %d, goroutine %d: %d firings", i, g, count)
		}
	}
	p.end()
}

type worker struct {
	Provider
	Done P1[string]
	sync P0
}

// twoProgram has two providers of one type.
func twoProgram() {
	first, second := worker{Provider: Named("first")}, worker{Provider: Named("second")}
	must(Register(&first))
	must(Register(&second))
	serve(&first.sync, map[string]func(){"fire": func() {
		first.Done.Fire("of first in " + strconv.Itoa(os.Getpid()))
		second.Done.Fire("of second in " + strconv.Itoa(os.Getpid()))
	}}, &first)
}

// Two providers of one type, and two processes of one program, are told apart.
func TestTracerTellsApart(t *testing.T) {
	needTracer(t)
	p, other := startProgram(t, "two"), startProgram(t, "two")
	script := `usdt:*:first:Done { printf("first %d %s\n", pid, str(arg0)); } usdt:*:first:sync { printf("sync\n"); }`
	b := attachTo(t, p, script)
	c := attachTo(t, other, script)
	for _, one := range []*tracee{p, other} {
		one.tell("fire")
	}
	want(t, "of the first process", b.next(), fmt.Sprintf("first %s of first in %s", p.pid(), p.pid()))
	want(t, "of the second process", c.next(), fmt.Sprintf("first %s of first in %s", other.pid(), other.pid()))
	want(t, "other lines", len(b.detach())+len(c.detach()), 0)
}
