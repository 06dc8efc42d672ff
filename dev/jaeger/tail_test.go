package jaeger

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One in so many requests is slow, and one fails: see tail/main.go.
const (
	requests = 100_000
	each     = 5000
)

// A service is a process of the program in tail.
type service struct {
	addr  string
	cmd   *exec.Cmd
	stdin io.Closer
	said  bytes.Buffer
}

var cost = flag.Int("cost", 0, "rounds of TestCost")

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	prog := filepath.Join(t.TempDir(), "tail")
	if out, err := exec.Command(*command, "build", "-o", prog, "./tail").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return prog
}

// serve starts a service.
func serve(t *testing.T, prog, waymark string, args ...string) *service {
	t.Helper()
	s := &service{cmd: exec.Command(prog, args...)}
	s.cmd.Env = append(os.Environ(), "OTEL_SERVICE_NAME="+args[0])
	if waymark != "" {
		s.cmd.Env = append(s.cmd.Env, "WAYMARK="+waymark)
	}
	s.cmd.Stderr = &s.said
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	s.stdin = in
	if s.addr, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s.addr = strings.TrimSpace(s.addr)
	return s
}

// end ends a service, and returns the CPU time that it took.
func (s *service) end(t *testing.T) time.Duration {
	t.Helper()
	s.stdin.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &s.said)
	}
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// load sends n requests, rate a second, each with a trace id and a span id of its number, from 1 on. It returns how
// long each took since it was due, the shortest first.
func load(t *testing.T, addr string, n, rate int) []time.Duration {
	t.Helper()
	start := time.Now()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	took := make([]time.Duration, n)
	var last atomic.Int64
	var workers sync.WaitGroup
	for range 50 {
		workers.Go(func() {
			for i := int(last.Add(1)); i <= n; i = int(last.Add(1)) {
				req, _ := http.NewRequest("GET", fmt.Sprintf("http://%s/order?id=%d", addr, i), nil)
				req.Header.Set("Traceparent", fmt.Sprintf("00-%s-%s-01", traceID(i), spanID(i)))
				due := start.Add(time.Duration(i) * time.Second / time.Duration(rate))
				time.Sleep(time.Until(due))
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				took[i-1] = time.Since(due)
				if want := map[bool]int{false: 200, true: 502}[i%each == each/2]; resp.StatusCode != want {
					t.Errorf("request %d: %s", i, resp.Status)
				}
			}
		})
	}
	workers.Wait()
	slices.Sort(took)
	return took
}

func traceID(i int) string { return fmt.Sprintf("%032x", i) }
func spanID(i int) string  { return fmt.Sprintf("%016x", 1<<32+i) }

// Of 100,000 requests to two services the slow and the failed ones arrive in Jaeger and no others, all below the spans
// that the requests name, with the calls that recordings of the same run have.
func TestTail(t *testing.T) {
	start(t)
	dir, prog := t.TempDir(), build(t)
	file := func(name string) string { return filepath.Join(dir, name+".wmt") }
	setting := func(name string) string {
		return "traces=@http,keep=longer:100ms,keep=failed,otlp=" + overHTTP + ",record,o=" + file(name)
	}
	store := serve(t, prog, setting("store"), "store")
	front := serve(t, prog, setting("front"), "front", store.addr)
	load(t, front.addr, requests, 2500)
	want, calls := make(map[string][]tail), 0
	for name, s := range map[string]*service{"front": front, "store": store} {
		s.end(t)
		if s.said.Len() > 0 {
			t.Errorf("%s said %s", name, &s.said)
		}
		want[name] = recorded(t, file(name))
		for _, one := range want[name] {
			for _, n := range one.calls {
				calls += n.Calls
			}
		}
	}
	spans := wait(t, calls, func() map[string]span {
		spans := answered(t, ask(t, "/api/traces?service=front&limit=100000"))
		maps.Copy(spans, answered(t, ask(t, "/api/traces?service=store&limit=100000")))
		return spans
	})
	if len(spans) != calls {
		t.Errorf("Jaeger has %d spans, want %d", len(spans), calls)
	}
	for name, want := range want {
		got := arrived(t, spans, name)
		if len(got) != len(want) {
			t.Errorf("Jaeger has %d traces of %s, want %d", len(got), name, len(want))
			continue
		}
		has := make(map[int]map[string]tally)
		for i, one := range got {
			has[one.request] = one.calls
			if !maps.Equal(one.calls, want[i].calls) {
				t.Errorf("request %d: Jaeger has of %s\n%v, want\n%v", one.request, name, one.calls, want[i].calls)
			}
		}
		for i := each / 2; i <= requests; i += each / 2 {
			path, n := marks[name].slow, tally{Calls: 1}
			if i%each != 0 {
				path, n.Errors = marks[name].failed, 1
			}
			if has[i][path] != n {
				t.Errorf("request %d: Jaeger has of %s %v, want %s with %+v", i, name, has[i], path, n)
			}
		}
		// On a busy machine other requests are slow, too. The recording has shown that these were.
		t.Logf("%s: %d traces are the same, %d of them slow for another reason", name, len(got), len(got)-2*requests/each)
	}
}

// marks are calls that tell the traces of slow and of failed requests, which return an error.
var marks = map[string]struct{ slow, failed string }{
	"front": {"main.order > main.render", "main.order > main.ask"},
	"store": {"main.item > main.query > main.lookup > main.wait", "main.item > main.query > main.lookup"},
}

// TestCost measures what traces that are kept by their tails cost two services, whose requests come at a rate that is a
// part of what they can do: CPU time of both, and how long requests take, on over off, medians of rounds.
func TestCost(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures for minutes: make bench-tail")
	}
	start(t)
	prog := build(t)
	const n, rate = 20_000, 2000
	type figures struct{ cpu, p50, p99, p999 float64 }
	run := func(setting string) figures {
		store := serve(t, prog, setting, "store")
		front := serve(t, prog, setting, "front", store.addr)
		took := load(t, front.addr, n, rate)
		at := func(q float64) float64 { return took[int(q*n)].Seconds() }
		return figures{(front.end(t) + store.end(t)).Seconds(), at(0.5), at(0.99), at(0.999)}
	}
	var ratios [4][]float64
	for range *cost {
		off, on := run(""), run("traces=@http,keep=longer:100ms,keep=failed,otlp="+overHTTP)
		for i, pair := range [][2]float64{{on.cpu, off.cpu}, {on.p50, off.p50}, {on.p99, off.p99}, {on.p999, off.p999}} {
			ratios[i] = append(ratios[i], pair[0]/pair[1])
		}
		t.Logf("off %+v, on %+v", off, on)
	}
	for i, name := range []string{"CPU time", "p50", "p99", "p99.9"} {
		slices.Sort(ratios[i])
		t.Logf("%s: %+.1f %%", name, 100*(ratios[i][len(ratios[i])/2]-1))
	}
}

// A tail is what is compared of a trace that was kept.
type tail struct {
	request int // its number, 0 in recordings
	start   int64
	calls   map[string]tally // by the functions from the root on
}

// A tally is how many calls there were, and how many returned an error.
type tally struct{ Calls, Errors int }

func inOrder(list []tail) []tail {
	slices.SortFunc(list, func(a, b tail) int { return cmp.Compare(a.start, b.start) })
	return list
}

// arrived returns the traces of a service among spans of Jaeger.
func arrived(t *testing.T, spans map[string]span, service string) []tail {
	byRequest := make(map[int]tail)
	for _, s := range spans {
		if s.service != service {
			continue
		}
		i, err := strconv.ParseInt(s.trace, 16, 64)
		one := byRequest[int(i)]
		if one.calls == nil {
			one.calls = make(map[string]tally)
		}
		path, above := s.name, s.parent
		for p, ok := spans[above]; ok; p, ok = spans[above] {
			path, above = p.name+" > "+path, p.parent
		}
		if above == s.parent {
			one.start = s.start
		}
		if err != nil || above != spanID(int(i)) {
			t.Errorf("trace %s: %s is below the span %q", s.trace, path, above)
		}
		n := one.calls[path]
		n.Calls++
		if strings.Contains(s.tags, "waymark.error=true") {
			n.Errors++
		}
		one.calls[path] = n
		one.request = int(i)
		byRequest[one.request] = one
	}
	return inOrder(slices.Collect(maps.Values(byRequest)))
}

// recorded returns the traces of a recording that took at least 100 ms, or have a call that returned an error.
func recorded(t *testing.T, file string) (list []tail) {
	var all []struct {
		Key      string
		Start    int64 `json:"start_unix_ns"`
		Duration int64 `json:"duration_ns"`
		Errors   int
	}
	traces(t, &all, file)
	for _, one := range all {
		if one.Duration < 100*time.Millisecond.Nanoseconds() && one.Errors == 0 {
			continue
		}
		var tree struct {
			Nodes []struct {
				Depth int
				Name  string
				tally
			}
		}
		traces(t, &tree, file, one.Key)
		var path []string
		calls := make(map[string]tally)
		for _, n := range tree.Nodes {
			path = append(path[:n.Depth], n.Name)
			calls[strings.Join(path, " > ")] = n.tally
		}
		list = append(list, tail{start: one.Start, calls: calls})
	}
	return inOrder(list)
}

// traces runs waymark traces, whose answer goes into a value.
func traces(t *testing.T, into any, args ...string) {
	t.Helper()
	out, err := exec.Command(*command, append([]string{"traces", "--root", "@http", "--format", "json"}, args...)...).Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
}
