package jaeger

import (
	"bytes"
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
	"strings"
	"testing"
	"time"
)

var (
	command = flag.String("waymark", "../../bin/waymark", "the command")
	jaeger  = flag.String("jaeger", "../../bin/jaeger", "Jaeger's program, of version 2")
)

// Where Jaeger listens without a configuration.
const (
	overHTTP = "http://127.0.0.1:4318"
	overGRPC = "grpc://127.0.0.1:4317"
	queries  = "http://127.0.0.1:16686"
)

// start starts Jaeger, which keeps traces in memory until the test ends.
func start(t *testing.T) {
	t.Helper()
	if resp, err := http.Get(queries); err == nil {
		resp.Body.Close()
		t.Fatalf("something listens on %s already: Jaeger's ports must be free", queries)
	}
	cmd := exec.Command(*jaeger)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; make test-jaeger builds it", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("Jaeger: %.2000s", log.Bytes())
		}
	})
	for limit := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("Jaeger has ended: %v", err)
		default:
		}
		if resp, err := http.Get(queries + "/api/services"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(limit) {
			t.Fatal("Jaeger does not answer")
		}
	}
}

// A span is what is compared of one.
type span struct {
	trace, parent, name, service string
	start, duration              int64 // us
	tags                         string
}

// A traceAnswer is what Jaeger answers when it is asked for traces.
type traceAnswer struct {
	Data []struct {
		TraceID string
		Spans   []struct {
			SpanID, OperationName, ProcessID string
			StartTime, Duration              int64
			References                       []struct{ RefType, TraceID, SpanID string }
			Tags                             []struct {
				Key   string
				Value any
			}
		}
		Processes map[string]struct{ ServiceName string }
	}
}

func ask(t *testing.T, path string) (a traceAnswer) {
	t.Helper()
	resp, err := http.Get(queries + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return a // not yet
	}
	d := json.NewDecoder(resp.Body)
	d.UseNumber()
	if err := d.Decode(&a); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, resp.Status, err)
	}
	return a
}

// answered returns the spans of an answer by their ids.
func answered(t *testing.T, a traceAnswer) map[string]span {
	spans := make(map[string]span)
	for _, trace := range a.Data {
		for _, s := range trace.Spans {
			got := span{trace: trace.TraceID, name: s.OperationName, service: trace.Processes[s.ProcessID].ServiceName, start: s.StartTime, duration: s.Duration}
			for _, r := range s.References {
				if r.RefType != "CHILD_OF" || r.TraceID != trace.TraceID {
					t.Errorf("%s refers to %+v", s.SpanID, r)
				}
				got.parent = r.SpanID
			}
			var tags []string
			for _, tag := range s.Tags {
				if group, _, _ := strings.Cut(tag.Key, "."); slices.Contains([]string{"code", "thread", "waymark", "arg"}, group) {
					tags = append(tags, fmt.Sprintf("%s=%v", tag.Key, tag.Value))
				}
			}
			got.tags = sorted(tags)
			spans[s.SpanID] = got
		}
	}
	return spans
}

// sorted returns tags in one order: Jaeger has its own.
func sorted(tags []string) string {
	slices.Sort(tags)
	return strings.Join(tags, "\n")
}

// wait asks until there are as many spans as wanted: Jaeger collects them before it stores them.
func wait(t *testing.T, wanted int, ask func() map[string]span) map[string]span {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if spans := ask(); len(spans) >= wanted || time.Now().After(limit) {
			return spans
		}
	}
}

// exportedTo returns the spans of a file by their ids.
func exportedTo(t *testing.T, path string) map[string]span {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	spans, err := exported(file)
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

// exported returns the spans of requests in JSON by their ids.
func exported(requests io.Reader) (map[string]span, error) {
	type attribute struct {
		Key   string
		Value map[string]any
	}
	text := func(a attribute) string {
		for _, v := range a.Value {
			return fmt.Sprint(v)
		}
		return ""
	}
	spans := make(map[string]span)
	for d := json.NewDecoder(requests); ; {
		var request struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes []attribute }
				ScopeSpans []struct {
					Spans []struct {
						TraceID, SpanID, ParentSpanID, Name string
						StartTimeUnixNano, EndTimeUnixNano  int64 `json:",string"`
						Attributes                          []attribute
					}
				}
			}
		}
		if err := d.Decode(&request); err == io.EOF {
			return spans, nil
		} else if err != nil {
			return nil, err
		}
		for _, r := range request.ResourceSpans {
			service := ""
			for _, a := range r.Resource.Attributes {
				if a.Key == "service.name" {
					service = text(a)
				}
			}
			for _, s := range r.ScopeSpans[0].Spans {
				want := span{trace: s.TraceID, parent: s.ParentSpanID, name: s.Name, service: service}
				want.start, want.duration = s.StartTimeUnixNano/1000, (s.EndTimeUnixNano-s.StartTimeUnixNano)/1000
				var tags []string
				for _, a := range s.Attributes {
					tags = append(tags, a.Key+"="+text(a))
				}
				want.tags = sorted(tags)
				spans[s.SpanID] = want
			}
		}
	}
}

// Each span of two processes' recordings is in Jaeger as it is in the file. The server's calls are
// below those of the client that have asked for them.
func TestJaeger(t *testing.T) {
	start(t)
	waymark, err := filepath.Abs(*command)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	prog := filepath.Join(dir, "app")
	run := func(env, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Stderr = os.Stderr
		if env != "" {
			cmd.Dir, cmd.Env = dir, append(os.Environ(), env)
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("", waymark, "build", "--all", "--closures", "--args", "-o", prog, "./app")
	for _, receiver := range []string{overHTTP, overGRPC} {
		run("WAYMARK=record,o=client.wmt", prog) // of which spans have new ids each time
		file := filepath.Join(dir, "all.json")
		both := []string{"export", "--depth", "100", "--to", "otlp", filepath.Join(dir, "client.wmt"), filepath.Join(dir, "server.wmt"), "-o"}
		run("", waymark, append(both, file)...)
		run("", waymark, append(both, receiver)...)
		compare(t, exportedTo(t, file), receiver)
	}

	// What load sends arrives, whole and once.
	sent := 0
	for _, receiver := range []string{overHTTP, overGRPC} {
		var result struct {
			Traces, Spans  int
			FailedRequests int `json:"failed_requests"`
		}
		made := run("", waymark, "load", "-n", "40", "--rate", "0", "--depth", "4", "--width", "4", "-o", receiver, "--format", "json")
		if err := json.Unmarshal([]byte(made), &result); err != nil || result.FailedRequests != 0 || result.Traces != 40 {
			t.Fatalf("%v: %s", err, made)
		}
		sent += result.Spans
	}
	spans := wait(t, sent, func() map[string]span {
		return answered(t, ask(t, "/api/traces?service=waymark-load&limit=1000"))
	})
	traces := make(map[string]int)
	for _, s := range spans {
		if traces[s.trace]++; s.parent != "" && spans[s.parent].trace != s.trace {
			t.Errorf("%+v has no parent in its trace", s)
		}
	}
	if len(spans) != sent || len(traces) != 80 {
		t.Errorf("Jaeger has %d spans in %d traces of load, want %d in 80", len(spans), len(traces), sent)
	}
	t.Logf("load: %d spans in %d traces", len(spans), len(traces))
}

// compare compares what Jaeger has with what was sent.
func compare(t *testing.T, want map[string]span, receiver string) {
	t.Helper()
	traces := make(map[string]int)
	for _, s := range want {
		traces[s.trace]++
	}
	got := wait(t, len(want), func() map[string]span {
		got := make(map[string]span)
		for id := range traces {
			maps.Copy(got, answered(t, ask(t, "/api/traces/"+id)))
		}
		return got
	})
	calls := make(map[string]int)
	for id, w := range want {
		calls[w.name]++
		if g := got[id]; g != w {
			t.Errorf("%s: span %s: Jaeger has\n%+v\nwant\n%+v", receiver, id, g, w)
		}
		if w.name == "main.handle" {
			if parent := got[w.parent]; parent.name != "main.get" || parent.trace != w.trace {
				t.Errorf("%s: a request's caller is %+v", receiver, parent)
			}
		}
	}
	if len(got) != len(want) || calls["main.get"] != 60 || calls["main.handle"] != 60 || calls["main.answer"] != 120 {
		t.Errorf("%s: %d spans in %d traces, want %d; calls are %v", receiver, len(got), len(traces), len(want), calls)
	}
	t.Logf("%s: %d spans of %d traces are the same", receiver, len(want), len(traces))
}
