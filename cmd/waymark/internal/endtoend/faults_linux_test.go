package endtoend

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// Whatever happens around a traced program, its output and its exit status are those of
// the plain one. What is recorded is exact, or counted as lost.
func TestFaults(t *testing.T) {
	f := &faultTest{tool: tool(t), plain: plain(t, "faults"), traced: instrument(t, "faults", "--all")}
	for _, prog := range []string{f.plain, f.traced} {
		// For another user, too.
		for dir := filepath.Dir(prog); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			os.Chmod(dir, 0o755)
		}
	}
	t.Run("memory", f.memory)
	t.Run("disk", f.disk)
	t.Run("output", f.output)
	t.Run("interference", f.interference)
	t.Run("emptiness", f.emptiness)
	t.Run("limits", f.limits)
	t.Run("calls", f.calls)
	t.Run("signals", f.signals)
	t.Run("time", f.time)
	t.Run("at once", f.atOnce)
}

// faultTest has the program built, with and without waymark.
type faultTest struct{ tool, plain, traced string }

// A faultRun is a run of the program under a fault.
type faultRun struct {
	*faultTest
	confinement
	prog       string // the traced one, where it isn't f.traced
	plain      string // likewise
	env        []string
	settings   string   // of WAYMARK, besides record and o
	trace      string   // o; default is a file in a folder of its own
	goroutines int      // default 1
	calls      int      // of each; default 100,000
	thing      string   // see testdata/faults
	wrap       []string // a command to run it with

	// pause, if it isn't nil, is called when half of the calls have been made.
	pause func(cmd *exec.Cmd)

	// disturb, if it isn't nil, is called when the program has begun.
	disturb func(cmd *exec.Cmd)

	seen string // the path of the trace file as the program sees it; default trace
	deaf bool   // nobody reads stderr
	last bool   // the calls that are recorded are the last ones, not the first

	said   string // waymark's line on stderr
	status int
}

const (
	faultStatus = 7
	perCall     = 4 // events: each digit calls next
)

// run runs the program plain and traced, and compares.
func (r *faultRun) run(t *testing.T) {
	t.Helper()
	if r.goroutines == 0 {
		r.goroutines = 1
	}
	if r.calls == 0 {
		r.calls = 100_000
	}
	if r.trace == "" {
		r.trace = filepath.Join(openDir(t), "f.wmt")
	}
	if r.prog == "" {
		r.prog, r.plain = r.faultTest.traced, r.faultTest.plain
	}
	pause := r.pause
	r.pause = nil
	if pause != nil {
		r.pause = func(*exec.Cmd) {}
	}
	out, said, status := r.once(t, r.plain, "")
	r.pause = pause
	if strings.HasPrefix(said, "confine: ") {
		t.Skipf("SKIPPED: %s", said)
	}
	seen := r.seen
	if seen == "" {
		seen = r.trace
	}
	gotOut, gotSaid, gotStatus := r.once(t, r.prog, "record,o="+seen+r.settings)
	r.status = status
	lines := strings.SplitAfter(gotSaid, "\n")
	own := ""
	for _, line := range lines {
		if strings.HasPrefix(line, "waymark: ") {
			r.said += line
		} else {
			own += line
		}
	}
	if gotOut != out || own != said || gotStatus != status {
		t.Errorf("traced:\n%s%s%d\nplain:\n%s%s%d", gotOut, gotSaid, gotStatus, out, said, status)
	}
	if strings.Count(r.said, "\n") > 1 {
		t.Errorf("more than one line:\n%s", r.said)
	}
	if r.said != "" {
		t.Logf("%s", strings.TrimSpace(r.said))
	}
}

// once runs the program.
func (r *faultRun) once(t *testing.T, prog, waymark string) (stdout, stderr string, status int) {
	t.Helper()
	args := []string{strconv.Itoa(r.goroutines), strconv.Itoa(r.calls), strconv.Itoa(faultStatus)}
	if r.pause != nil {
		args = append(args, "pause")
	} else if r.thing != "" {
		args = append(args, strings.Fields(r.thing)...)
	}
	cmd := r.command(t, prog, args...)
	if len(r.wrap) > 0 {
		cmd.Args = append(append(append([]string{}, r.wrap...), cmd.Path), cmd.Args[1:]...)
		cmd.Path = r.wrap[0]
	}
	cmd.Env = append(append(cmd.Env, r.env...), "WAYMARK="+waymark)
	var out, err bytes.Buffer
	cmd.Stderr = &err
	if r.deaf {
		from, to, e := os.Pipe()
		if e != nil {
			t.Fatal(e)
		}
		from.Close()
		defer to.Close()
		cmd.Stderr = to
	}
	if r.pause == nil {
		cmd.Stdout = &out
		start(t, cmd)
		if r.disturb != nil {
			r.disturb(cmd)
		}
		cmd.Wait()
	} else {
		in, e1 := cmd.StdinPipe()
		from, e2 := cmd.StdoutPipe()
		if e := errors.Join(e1, e2); e != nil {
			t.Fatal(e)
		}
		start(t, cmd)
		lines := bufio.NewReader(io.TeeReader(from, &out))
		if line, e := lines.ReadString('\n'); line != "half\n" {
			t.Fatalf("the program printed %q: %v\n%s", line, e, err.Bytes())
		}
		r.pause(cmd)
		in.Write([]byte("\n"))
		io.Copy(io.Discard, lines)
		cmd.Wait()
	}
	return out.String(), err.String(), exitStatus(cmd.ProcessState)
}

// untraced checks that waymark said why it records nothing, and left nothing.
func (r *faultRun) untraced(t *testing.T, why string) {
	t.Helper()
	r.run(t)
	if !strings.Contains(r.said, why) || !strings.HasSuffix(r.said, "untraced\n") {
		t.Errorf("waymark said %q; want it to name %q", r.said, why)
	}
	if left, _ := filepath.Glob(strings.TrimSuffix(r.trace, ".wmt") + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// complete checks that everything is recorded.
func (r *faultRun) complete(t *testing.T) {
	t.Helper()
	r.run(t)
	if r.said != "" {
		t.Errorf("waymark said %q", r.said)
	}
	info, calls := r.read(t, r.trace)
	if want := uint64(r.goroutines * r.calls); calls != want || !info.Complete || info.Lost != 0 {
		t.Errorf("%d of %d calls, %+v", calls, want, info)
	}
}

// stopped checks that waymark said why it stopped, and that what was recorded before is
// there. With one goroutine on one P those are the first calls.
func (r *faultRun) stopped(t *testing.T, why string) tracefile.Info {
	t.Helper()
	if r.goroutines <= 1 {
		r.env = append(r.env, "GOMAXPROCS=1")
	}
	r.run(t)
	if !strings.Contains(r.said, why) {
		t.Errorf("waymark said %q; want it to name %q", r.said, why)
	}
	info, calls := r.read(t, r.trace)
	if calls == 0 || calls >= uint64(r.goroutines*r.calls) {
		t.Errorf("%d calls, %+v", calls, info)
	}
	if want := lostIn.FindStringSubmatch(r.said); want == nil || fmt.Sprint(info.Lost) != want[1] || info.Lost == 0 || info.Complete || info.Stopped != tracefile.StoppedFailed {
		t.Errorf("waymark said %q; the file has %+v", r.said, info)
	}
	return info
}

var lostIn = regexp.MustCompile(`(\d+) events (that were in it )?are lost`)

// read reads a recording, checks it, and returns the number of its calls of digits.
func (r *faultRun) read(t *testing.T, trace string) (tracefile.Info, uint64) {
	t.Helper()
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls, exits := uint64(0), uint64(0)
	var digits []byte
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		site, _ := f.Func(ev.Site)
		if ev.Kind != tracefile.Enter && ev.Kind != tracefile.Exit || len(site.Name) != len("main.d0") {
			continue
		}
		if ev.Kind == tracefile.Exit {
			exits++
			continue
		}
		calls++
		digits = append(digits, site.Name[len("main.d")])
	}
	if r.goroutines == 1 {
		want := r.sequence()
		if want = want[:min(len(digits), len(want))]; r.last {
			want = r.sequence()[r.calls-len(want):]
		}
		if string(digits) != want {
			t.Errorf("%d calls are not those that the program made", calls)
		}
	}
	info, err := f.Verify()
	if err := errors.Join(err, events.Err(), info.RecoveryErr); err != nil || info.Damaged > 0 {
		t.Errorf("%s: %v, %+v", trace, err, info)
	}
	if open := int64(calls - exits); max(open, -open) > int64(r.goroutines) {
		t.Errorf("%d enters, %d exits", calls, exits)
	}
	if out, err := exec.Command(r.tool, "report", trace).CombinedOutput(); err != nil {
		t.Errorf("waymark report: %v\n%s", err, out)
	}
	return info, calls
}

// sequence returns the digits that a goroutine of the program calls.
func (r *faultRun) sequence() string {
	b := make([]byte, 0, r.calls)
	sum := uint32(0)
	for range r.calls {
		b = append(b, "0123456789abcdef"[sum>>28])
		sum = sum*1664525 + 1013904223 + sum>>28
	}
	return string(b)
}
