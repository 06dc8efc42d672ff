package endtoend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/testing/repository"
	"github.com/waymark-go/waymark/tracefile"
)

var tracesUnderLoad = flag.Bool("traces", false, "gather the traces of an HTTP server and a gRPC server under load (downloads modules, takes a minute)")

// notFollowed are the ways of having a call made in which it is in no trace, see dev/servers/work, with
// the cause.
var notFollowed = map[string]string{
	"unsaid":    "on a goroutine that ran before, and isn't told for whom it works",
	"finalized": "by the garbage collector",
}

// Each of the requests that servers get has a trace. At least 99.9 % of the calls that can be
// followed are in the trace of their request. No call is in that of another request. A recording of
// the same run has the same traces.
func TestTraces(t *testing.T) {
	if !*tracesUnderLoad {
		t.Skip("not asked for: make test-traces")
	}
	dir := t.TempDir()
	servers, recorded, saved := filepath.Join(dir, "servers"), filepath.Join(dir, "servers.wmt"), filepath.Join(dir, "servers.xml")
	build := exec.Command(tool(t), "build", "--include", "./work", "--all", "--closures", "-o", servers, ".")
	build.Dir = repository.Path(t, "dev/servers")
	build.Env = append(os.Environ(), "GOWORK=") // a workspace with the library
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	const requests = 3000
	run := exec.Command(servers, "-n", strconv.Itoa(requests/3), "-o", saved)
	run.Env = append(os.Environ(), "WAYMARK=record,overflow=block,o="+recorded)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", run, err, out)
	}
	t.Run("calls", func(t *testing.T) { testCallsOfRequests(t, out, requests) })
	t.Run("recording", func(t *testing.T) {
		b, err := os.ReadFile(saved)
		if err != nil {
			t.Fatal(err)
		}
		compareTraces(t, tracesIn(t, recordedTraces(t, recorded)), tracesIn(t, b), requests)
	})
}

// testCallsOfRequests looks at what dev/servers has counted.
func testCallsOfRequests(t *testing.T, out []byte, requests int) {
	var counts struct {
		Requests, Odd int
		Ways          map[string]struct{ Calls, Missing, Wrong int }
		Lost          uint64
	}
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if counts.Requests != requests || counts.Odd != 0 || counts.Lost != 0 {
		t.Errorf("%d of %d requests have a trace, %d traces are of none, %d calls are lost", counts.Requests, requests, counts.Odd, counts.Lost)
	}
	calls, missing, followed := 0, 0, 0
	names := make([]string, 0, len(counts.Ways))
	for name, w := range counts.Ways {
		names = append(names, name)
		calls += w.Calls
		missing += w.Missing
		if notFollowed[name] == "" {
			followed += w.Missing
		}
		if w.Calls == 0 || w.Wrong > 0 {
			t.Errorf("%s: %d calls, %d in the trace of another request", name, w.Calls, w.Wrong)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		w := counts.Ways[name]
		t.Logf("%-10s %7d calls, %6d missing %s", name, w.Calls, w.Missing, notFollowed[name])
	}
	t.Logf("%d of %d calls are in the trace of their request, %.2f %%", calls-missing, calls, 100-100*float64(missing)/float64(calls))
	if missing*100 > calls {
		t.Errorf("%d of %d calls are missing, want 1 %% at most", missing, calls)
	}
	if followed*1000 > calls {
		t.Errorf("%d of %d calls are missing though they can be followed", followed, calls)
	}
}

// recordedTraces returns the traces of a recording, as a file of actions.
func recordedTraces(t *testing.T, path string) []byte {
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		t.Fatal(err)
	}
	root := func(f *function.Func) bool {
		return slices.ContainsFunc([]string{".ServeHTTP", ".UnaryCall", ".message"}, func(end string) bool { return strings.HasSuffix(f.Name, end) })
	}
	var b bytes.Buffer
	if _, _, err := traces.WriteXML(&b, set, &recording.Filter{}, traces.Options{Root: root}, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A goroutineLog is what a goroutine did in a trace.
type goroutineLog struct {
	Key       string `xml:"key,attr"`
	Parent    string `xml:"parent,attr"`
	Goroutine uint64 `xml:"goroutine,attr"`
	Text      string `xml:",chardata"`

	times []int64  // ns since 1970, of actions
	what  []string // the actions, with their functions
}

// A requestTrace is a trace, with its goroutines by their ids.
type requestTrace struct {
	root       *goroutineLog
	goroutines map[uint64]*goroutineLog
}

// tracesIn returns the traces of a file of actions, by the goroutines of their roots and the time.
func tracesIn(t *testing.T, file []byte) (list []requestTrace) {
	var all struct {
		Logs []*goroutineLog `xml:"trace"`
	}
	if err := xml.Unmarshal(file, &all); err != nil {
		t.Fatal(err)
	}
	byKey := make(map[string]requestTrace)
	for _, l := range all.Logs {
		for _, a := range strings.Split(l.Text, "|") {
			at, what, ok := strings.Cut(a, ",")
			ns, err := strconv.ParseInt(at, 10, 64)
			if !ok || err != nil {
				continue // a goroutine without calls
			}
			l.times, l.what = append(l.times, ns), append(l.what, what)
		}
		if len(l.what) == 0 {
			continue
		}
		key, _, _ := strings.Cut(l.Key, "/")
		if l.Parent == "" {
			byKey[key] = requestTrace{l, make(map[uint64]*goroutineLog)}
			list = append(list, byKey[key])
		}
		byKey[key].goroutines[l.Goroutine] = l
	}
	slices.SortFunc(list, func(a, b requestTrace) int {
		return cmp.Or(cmp.Compare(a.root.Goroutine, b.root.Goroutine), cmp.Compare(a.root.times[0], b.root.times[0]))
	})
	return list
}

// inNoRecordedTrace reports whether an action is of a call whose goroutine a recording can't
// assign, or not for certain. Who has started the goroutine made no recorded call, or has begun
// another request before the goroutine made its first call.
func inNoRecordedTrace(what string) bool {
	return slices.ContainsFunc([]string{".plainly", ".timed", ".outlived", ".pooled", ".staged"}, func(end string) bool { return strings.HasSuffix(what, end) })
}

// compareTraces looks whether recorded traces and gathered ones are the same. It compares
// goroutines, calls, their nesting and order, and times. The two times of an event are read one
// after the other.
func compareTraces(t *testing.T, recorded, gathered []requestTrace, requests int) {
	if len(recorded) != requests || len(gathered) != requests {
		t.Fatalf("%d traces are recorded, %d gathered, want %d", len(recorded), len(gathered), requests)
	}
	same, calls, differ := 0, 0, 0
	only := make(map[string]int)
	var apart []int64
	for i, r := range recorded {
		g := gathered[i]
		if r.root.Goroutine != g.root.Goroutine {
			t.Fatalf("trace %d: recorded on goroutine %d, gathered on %d", i, r.root.Goroutine, g.root.Goroutine)
		}
		equal := true
		for id, rl := range r.goroutines {
			gl := g.goroutines[id]
			if gl == nil {
				only["recorded only: "+rl.what[0]]++
				equal = equal && slices.ContainsFunc(rl.what, inNoRecordedTrace)
				continue
			}
			if !slices.Equal(rl.what, gl.what) {
				if differ++; differ <= 3 {
					t.Errorf("goroutine %d:\nrecorded %v\ngathered %v", id, rl.what, gl.what)
				}
				equal = false
				continue
			}
			calls += len(rl.what) / 2
			for j, at := range rl.times {
				apart = append(apart, max(at-gl.times[j], gl.times[j]-at))
			}
		}
		for id, gl := range g.goroutines {
			if r.goroutines[id] == nil {
				only["gathered only: "+gl.what[0]]++
				equal = equal && slices.ContainsFunc(gl.what, inNoRecordedTrace)
			}
		}
		if equal {
			same++
		}
	}
	slices.Sort(apart)
	median, far := apart[len(apart)/2], apart[len(apart)*99/100]
	t.Logf("%d of %d traces are the same, with %d calls; times differ by %d ns, 1 %% of them by more than %d ns", same, requests, calls, median, far)
	for what, n := range only {
		t.Logf("%d goroutines %s", n, what)
	}
	if same != requests {
		t.Errorf("%d traces differ", requests-same)
	}
	if median > 5000 {
		t.Errorf("the times of half of the events differ by more than %d ns", median)
	}
}
