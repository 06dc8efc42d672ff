package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

var command = flag.String("waymark", "../../bin/waymark", "the command")

// record returns the file of a recording of the app.
func record(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app.wmt")
	if out, err := waymark(t, ".", "record", "--all", "--closures", "--args", "--results", "-o", file, "./app"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// waymark runs the command in a folder, and returns what it prints.
func waymark(t *testing.T, dir string, args ...string) (out string, err error) {
	t.Helper()
	path, err := filepath.Abs(*command)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// export exports each call to a file or an endpoint, in a folder of its own.
func export(t *testing.T, file, to string) (dir, out string, err error) {
	t.Helper()
	dir = t.TempDir()
	out, err = waymark(t, dir, "export", file, "--depth", "1000", "--to", "otlp", "-o", to)
	return dir, out, err
}

// written returns the requests of a file.
func written(t *testing.T, path string) (list []*collector.ExportTraceServiceRequest) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		list = append(list, parse(t, line))
	}
	return list
}

// parse reads a request in JSON. OpenTelemetry writes ids in hexadecimal digits, where the mapping of
// protocol buffers to JSON has base64.
func parse(t *testing.T, line []byte) *collector.ExportTraceServiceRequest {
	t.Helper()
	var tree any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatalf("%v: %.300s", err, line)
	}
	base64IDs(t, tree)
	line, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	r := new(collector.ExportTraceServiceRequest)
	if err := protojson.Unmarshal(line, r); err != nil {
		t.Fatalf("%v: %.300s", err, line)
	}
	return r
}

func base64IDs(t *testing.T, tree any) {
	switch node := tree.(type) {
	case []any:
		for _, e := range node {
			base64IDs(t, e)
		}
	case map[string]any:
		for key, e := range node {
			text, ok := e.(string)
			if !ok || !strings.HasSuffix(key, "Id") {
				base64IDs(t, e)
				continue
			}
			b, err := hex.DecodeString(text)
			if err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			node[key] = base64.StdEncoding.EncodeToString(b)
		}
	}
}

// spansOf returns the spans of requests, and fails if what all have is missing.
func spansOf(t *testing.T, requests []*collector.ExportTraceServiceRequest) (list []*trace.Span) {
	t.Helper()
	for _, r := range requests {
		for _, resource := range r.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				if len(resource.Resource.Attributes) == 0 || scope.Scope.Name == "" {
					t.Errorf("a request without attributes of its resource, or a scope: %.300s", r)
				}
				list = append(list, scope.Spans...)
			}
		}
	}
	return list
}

// same compares what was received with what is in a file.
func same(t *testing.T, what string, got, want []*collector.ExportTraceServiceRequest) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d requests, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if !proto.Equal(got[i], want[i]) {
			t.Errorf("%s: request %d is\n%.3000s\nwant\n%.3000s", what, i, protojson.Format(got[i]), protojson.Format(want[i]))
		}
	}
}

// An httpReceiver keeps what it is sent.
type httpReceiver struct {
	*testing.T
	requests []*collector.ExportTraceServiceRequest
}

func (r *httpReceiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	in := io.Reader(q.Body)
	if q.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(in)
		if err != nil {
			r.Error(err)
			return
		}
		in = z
	}
	body, err := io.ReadAll(in)
	if err != nil {
		r.Error(err)
	}
	r.requests = append(r.requests, parse(r.T, body))
	fmt.Fprint(w, "{}")
}

// Receivers over gRPC and HTTP are sent what is in the file, whose numbers are the report's.
func TestReceivers(t *testing.T) {
	file := record(t)
	dir, out, err := export(t, file, "spans.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := written(t, filepath.Join(dir, "spans.json"))
	totals(t, file, spansOf(t, want))

	over := &httpReceiver{T: t}
	server := httptest.NewServer(over)
	defer server.Close()
	if _, out, err := export(t, file, server.URL); err != nil || out != "" {
		t.Errorf("over HTTP: %v\n%s", err, out)
	}
	same(t, "over HTTP", over.requests, want)

	for _, scheme := range []string{"grpc", "grpcs"} {
		r := serve(t, scheme == "grpcs")
		if _, out, err := export(t, file, scheme+"://"+r.address); err != nil || out != "" {
			t.Errorf("%s: %v\n%s", scheme, err, out)
		}
		same(t, scheme, r.requests, want)
	}
	t.Logf("%d spans in %d requests", len(spansOf(t, want)), len(want))
}

// totals compares the calls and times of functions with the report's.
func totals(t *testing.T, file string, spans []*trace.Span) {
	t.Helper()
	out, err := waymark(t, ".", "report", "--format", "json", file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type numbers struct{ Calls, Self_ns, Total_ns int64 }
	var report struct {
		Functions []struct {
			Name string
			numbers
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	want, got := make(map[string]numbers), make(map[string]numbers)
	for _, f := range report.Functions {
		want[f.Name] = f.numbers
	}
	for _, s := range spans {
		n, calls, total := got[s.Name], int64(1), int64(s.EndTimeUnixNano-s.StartTimeUnixNano)
		for _, a := range s.Attributes {
			switch a.Key {
			case "waymark.self_ns":
				n.Self_ns += a.Value.GetIntValue()
			case "waymark.calls": // of a span of several
				calls = a.Value.GetIntValue()
			case "waymark.total_ns":
				total = a.Value.GetIntValue()
			}
		}
		n.Calls += calls
		n.Total_ns += total
		got[s.Name] = n
	}
	for name, w := range want {
		g := got[name]
		if d := g.Total_ns - w.Total_ns; d >= -w.Calls && d <= w.Calls { // each call's is rounded
			g.Total_ns = w.Total_ns
		}
		if g != w {
			t.Errorf("%s: %+v, want %+v", name, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d functions, want %d", len(got), len(want))
	}
}

// Traces of load arrive whole.
func TestLoad(t *testing.T) {
	r := serve(t, false)
	out, err := waymark(t, ".", "load", "-n", "60", "--rate", "0", "--depth", "4", "--width", "4", "-o", "grpc://"+r.address, "--format", "json")
	var result struct{ Traces, Spans, Requests int }
	if err == nil {
		err = json.Unmarshal([]byte(out), &result)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	traces := make(map[string]int)
	spans := spansOf(t, r.requests)
	for _, s := range spans {
		traces[string(s.TraceId)]++
	}
	if len(spans) != result.Spans || len(traces) != result.Traces || len(r.requests) != result.Requests || result.Traces != 60 {
		t.Errorf("%d spans of %d traces in %d requests arrived; load says %+v", len(spans), len(traces), len(r.requests), result)
	}
}
