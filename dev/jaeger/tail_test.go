package jaeger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
// that the requests name, as trees that are equal to those of recordings of the same run.
func TestTail(t *testing.T) {
	start(t)
	waymark, err := filepath.Abs(*command)
	if err != nil {
		t.Fatal(err)
	}
	dir, prog := t.TempDir(), build(t)
	setting := func(name string) string {
		return "traces=@http,keep=longer:100ms,keep=failed,otlp=" + overHTTP + ",record,overflow=block,o=" + filepath.Join(dir, name+".wmt")
	}
	store := serve(t, prog, setting("store"), "store")
	front := serve(t, prog, setting("front"), "front", store.addr)
	load(t, front.addr, requests, 4000)
	for _, s := range []*service{front, store} {
		s.end(t)
		if s.said.Len() > 0 {
			t.Errorf("said %s", &s.said)
		}
	}
	wanted := 2 * requests / each
	var all traceAnswer
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(time.Second) {
		if all = ask(t, "/api/traces?service=store&limit=100000&lookback=1h"); len(all.Data) >= wanted {
			break
		}
	}
	if len(all.Data) != wanted {
		t.Errorf("Jaeger has %d traces of the store, want %d", len(all.Data), wanted)
	}
	if more := ask(t, "/api/traces?service=front&limit=100000&lookback=1h"); len(more.Data) != wanted {
		t.Errorf("Jaeger has %d traces of the front, want %d", len(more.Data), wanted)
	}
	shapes := make(map[string]int)
	for i := each / 2; i <= requests; i += each / 2 {
		spans := answered(t, ask(t, "/api/traces/"+traceID(i)))
		shape := shapeOf(spans, spanID(i))
		shapes[shape]++
		if !strings.Contains(shape, "front main.order") || !strings.Contains(shape, "store main.item") {
			t.Errorf("request %d: Jaeger has\n%s", i, shape)
		}
	}
	recorded := make(map[string]int)
	for _, name := range []string{"front", "store"} {
		recorded[name] = len(trees(t, waymark, filepath.Join(dir, name+".wmt")))
	}
	for shape, n := range shapes {
		t.Logf("%d traces are\n%s", n, shape)
	}
	t.Log(recorded)
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

// shapeOf writes the tree of spans below a span, one line each.
func shapeOf(spans map[string]span, below string) string {
	children := make(map[string][]string)
	for id, s := range spans {
		children[s.parent] = append(children[s.parent], id)
	}
	var b strings.Builder
	var write func(id, indent string)
	write = func(id, indent string) {
		list := children[id]
		slices.SortFunc(list, func(a, b string) int {
			return strings.Compare(fmt.Sprintf("%020d %s", spans[a].start, spans[a].name), fmt.Sprintf("%020d %s", spans[b].start, spans[b].name))
		})
		for _, id := range list {
			fmt.Fprintf(&b, "%s%s %s\n", indent, spans[id].service, spans[id].name)
			write(id, indent+"  ")
		}
	}
	write(below, "")
	return b.String()
}

// trees returns the traces of a recording.
func trees(t *testing.T, waymark, file string) []json.RawMessage {
	out, err := exec.Command(waymark, "traces", "--root", "@http", "--min", "100ms", "--top", "0", "--format", "json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Traces []json.RawMessage }
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	return list.Traces
}
