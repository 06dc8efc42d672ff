package jaeger

import (
	"cmp"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// requests is how many TestTail sends.
const requests = 100_000

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
	load(t, front.addr, 1, requests, 2500)
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
