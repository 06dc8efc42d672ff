package endtoend

import (
	"bytes"
	"encoding/base64"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

var valueRounds = flag.Int("values", 0, "let TestValueStorm run `N` rounds of 20 s, plain and with the race detector")

// Values of every kind come back: the program says what the replay of each call
// should print, by other means than the recording.
func TestValues(t *testing.T) {
	prog := instrument(t, "values", "--include", ".", "--all", "--closures", "--args", "--results", "--redact", "none", "--arg-depth", "10", "--arg-bytes", "8192")
	trace := filepath.Join(t.TempDir(), "values.wmt")
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "WAYMARK=record,o="+trace)
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := exec.Command(tool(t), "replay", "--width", "0", trace).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(printed)), "\n")
	checked := make(map[string]bool)
	for _, line := range want {
		checked[functionOf(line)] = true
	}
	if len(checked) < 50 {
		t.Fatalf("the program printed %q", printed)
	}
	var got []string
	for _, line := range joinCalls(string(replayed)) {
		if checked[functionOf(line)] {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replay prints other values (-want +got):\n%s", diff)
	}
}

// functionOf returns the name that a line of a replay begins with.
func functionOf(line string) string {
	// A method's receiver is in parentheses too.
	i := strings.IndexByte(strings.Replace(line, ".(", ".*", 1), '(')
	return line[:max(i, 0)]
}

// joinCalls makes one line of each call in a replay, in the order of their ends,
// without times and comments.
func joinCalls(replay string) []string {
	var lines, open []string
	for _, line := range strings.Split(strings.TrimSpace(replay), "\n")[1:] {
		_, line, _ = strings.Cut(line, "]  ")
		line, _, _ = strings.Cut(strings.TrimLeft(line, " "), " /* ")
		if begin, ok := strings.CutSuffix(line, " {"); ok {
			open = append(open, begin)
			continue
		}
		if end, ok := strings.CutPrefix(line, "}"); ok {
			line = open[len(open)-1] + strings.TrimSuffix(end, ";") + ";"
			open = open[:len(open)-1]
		}
		lines = append(lines, line)
	}
	return lines
}

// Values are read while other goroutines change them, through pointers that are torn,
// dangling or none at all. Nothing crashes, the race detector sees nothing, and no
// call is missing. All that was recorded can be read.
func TestValueStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	seconds, rounds := "0.2", 1
	if *valueRounds > 0 {
		seconds, rounds = "2", *valueRounds
	}
	for _, c := range []struct {
		name  string
		flags []string
	}{
		{"plain", []string{"-gcflags=-d=checkptr=0"}},
		{"race", []string{"-race"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			prog := instrument(t, "valuestorm", append([]string{"--all", "--closures", "--args", "--results"}, c.flags...)...)
			for i := range rounds {
				for _, limits := range []string{"", ",arg-depth=10,arg-bytes=4096", ",arg-depth=0,arg-bytes=0,buffers=2097152", ",arg-depth=4,arg-bytes=17"} {
					if i > 0 && t.Failed() {
						return
					}
					trace := filepath.Join(t.TempDir(), "values.wmt")
					cmd := exec.Command(prog, seconds)
					cmd.Env = append(os.Environ(), "GOMAXPROCS=4", "WAYMARK=record,o="+trace+limits)
					var stderr bytes.Buffer
					cmd.Stderr = &stderr
					out, err := cmd.Output()
					if err != nil || stderr.Len() > 0 {
						t.Fatalf("with %q: %v\n%.5000s", limits, err, stderr.Bytes())
					}
					validate(t, trace, out)
					decodeAll(t, trace)
					os.Remove(trace)
				}
				for function, text := range stormConditions {
					p, err := expression.Compile(text, nil)
					if err != nil {
						t.Fatal(err)
					}
					cmd := exec.Command(prog, seconds)
					cmd.Env = append(os.Environ(), "GOMAXPROCS=4", "WAYMARK=print="+function+",if="+base64.RawURLEncoding.EncodeToString(p.Append(nil)))
					if out, err := cmd.CombinedOutput(); err != nil || bytes.Count(out, []byte("\n")) != stormFunctions {
						t.Fatalf("with %s of %s: %v, want a line for each of %d functions\n%.5000s", text, function, err, stormFunctions, out)
					}
				}
			}
		})
	}
}

// stormConditions are conditions on calls of functions of valuestorm, which read what others change, and
// reject all calls. The argument of words is on the caller's stack and torn, so it must never be
// copied to be shown. Random addresses do lead to a "no" now and then, but no goroutine has the
// number 0. stormFunctions is how many functions valuestorm prints counts of.
var stormConditions = map[string]string{
	"main.look": `contains(args.t.text, "no") || len(args.t.bytes) > 100 && args.t.bytes[100] == 256 || args.s.s == "no" || args.s.n[3] == 1 ||
		len(args.t.m) == -1 || len(args.t.ch) == -1 || args.t.nested.a[1] == nil && args.t.text == "no" || args.t.any == nil && args.t.stru.s > "t" ||
		args.t.stru.p != nil && *args.t.stru.p < -1 || args.t.next.next.next.text == "no" || contains(results[0].next.text, "no") && duration > 1h`,
	"main.words": `(args.t.d == "no" || len(args.t.h) == -987654321 || args.t.j != nil && args.t.d == "no" || len(args.t.e) > 3 && args.t.e[3].s == "no" ||
		startsWith(args.t.d, "no!") || args.t.f.stru.s == "no" || args.t.f.next.stru.p == nil && args.t.d == "no") && goroutine == 0`,
	"main.deep": `args.n < 0 || args.t.next.err == nil && args.t.stru.s == "no" || results[0] == 256`,
}

const stormFunctions = 6

// A program that is killed while it records values leaves all of them, with the
// descriptions of their types.
func TestValueKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("needs the recorder's shared memory, which is for linux")
	}
	prog := instrument(t, "valuestorm", "--all", "--args", "--results", "-gcflags=-d=checkptr=0")
	r := seed.Rand(t, rand.Uint64())
	var recovered uint64
	for i := range 5 {
		trace := filepath.Join(t.TempDir(), "values.wmt")
		cmd := exec.Command(prog, "60")
		cmd.Env = append(os.Environ(), "WAYMARK=record,arg-depth=10,arg-bytes=1024,o="+trace)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A part of what was recorded is in the file, the rest in buffers.
		for fi, err := os.Stat(trace); err != nil || fi.Size() < 1<<20; fi, err = os.Stat(trace) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(r.Intn(100e6)))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		decodeAll(t, trace)
		f, err := tracefile.Open(trace)
		if err != nil {
			t.Fatal(err)
		}
		info := f.Info()
		if info.Complete || info.Damaged != 0 || info.Lost != 0 || info.RecoveryErr != nil {
			t.Errorf("kill %d: info %+v; want an incomplete, undamaged recording", i, info)
		}
		recovered += uint64(info.Recovered) // 0 if all had just been written
		f.Close()
		os.Remove(trace)
	}
	if recovered == 0 {
		t.Error("no event was recovered from buffers")
	}
}

// decodeAll reads and prints all values of a recording.
func decodeAll(t *testing.T, trace string) {
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, printed, size := 0, 0, 0
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		values, err := value.Decode(ev.Data, f.Type)
		if err != nil {
			site, _ := f.Func(ev.Site)
			t.Fatalf("%s: %v in %x", site.Name, err, ev.Data)
		}
		if n += len(values); n&63 == 0 { // printing takes much longer than reading
			printed += len(values)
			size += len(value.List(values, nil, false))
		}
	}
	if printed == 0 || size < 2*printed {
		t.Errorf("%d of %d values have %d bytes of text", printed, n, size)
	}
}
