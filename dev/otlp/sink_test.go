package otlp

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A program sends its trace over gRPC and HTTP while it runs. The spans have the numbers of the trace that
// it saves, and are a tree.
func TestSink(t *testing.T) {
	over := &httpReceiver{T: t}
	server := httptest.NewServer(over)
	defer server.Close()
	app := filepath.Join(t.TempDir(), "app")
	if out, err := waymark(t, ".", "build", "--otlp", "--all", "--closures", "-o", app, "./app"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(url string) (file string) {
		file = filepath.Join(t.TempDir(), "traces.xml")
		cmd := exec.CommandContext(t.Context(), app)
		cmd.Env = append(os.Environ(), "WAYMARK=traces=main.main,o="+file+",otlp="+url, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "waymark") {
			t.Fatalf("%s: %v\n%s", url, err, out)
		}
		return file
	}
	file := run(server.URL)
	checkTree(t, "over HTTP", file, spansOf(t, over.requests))
	for _, scheme := range []string{"grpc", "grpcs"} {
		r := serve(t, scheme == "grpcs")
		file := run(scheme + "://" + r.address)
		checkTree(t, scheme, file, spansOf(t, r.requests))
	}
}

// checkTree compares spans with a file of traces, and fails if they are not one tree.
func checkTree(t *testing.T, how, file string, spans []*trace.Span) {
	t.Helper()
	totals(t, file, spans)
	names, roots := make(map[string]string), 0
	for _, s := range spans {
		names[string(s.SpanId)] = s.Name
	}
	for _, s := range spans {
		if string(s.TraceId) != string(spans[0].TraceId) {
			t.Errorf("%s: %s is in another trace", how, s.Name)
		}
		if len(s.ParentSpanId) == 0 {
			roots++
		} else if names[string(s.ParentSpanId)] == "" {
			t.Errorf("%s: %s has no parent", how, s.Name)
		}
		if want := map[string]string{"main.throws": "[exception] 2", "main.caught": "[] 0", "main.fails": "[] 2"}[s.Name]; want != "" {
			var events []string
			for _, e := range s.Events {
				events = append(events, e.Name)
			}
			if got := fmt.Sprint(events, " ", int32(s.Status.GetCode())); got != want {
				t.Errorf("%s: %s has events and status %s, want %s", how, s.Name, got, want)
			}
		}
	}
	if roots != 1 || !slices.ContainsFunc(spans, func(s *trace.Span) bool { return names[string(s.ParentSpanId)] == "main.first" }) {
		t.Errorf("%s: %d roots of %d spans", how, roots, len(spans))
	}
	t.Logf("%s: %d spans", how, len(spans))
}
