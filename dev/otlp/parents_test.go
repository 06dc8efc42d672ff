package otlp

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Traces are below the program's own spans of OpenTelemetry, or below those that requests name.
func TestParents(t *testing.T) {
	app := filepath.Join(t.TempDir(), "server")
	if out, err := waymark(t, ".", "build", "--otlp", "-o", app, "./server"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	over := &httpReceiver{T: t}
	server := httptest.NewServer(over)
	defer server.Close()
	cmd := exec.CommandContext(t.Context(), app)
	cmd.Env = append(os.Environ(), "WAYMARK=traces=main.handle,traces=main.work,traces=main.inside,keep=all,otlp="+server.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, &said)
	}
	const remote = "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331"
	want := []string{"main.handle " + remote, "main.inside " + remote} // and two of no parent, and one
	for line := range strings.Lines(string(out)) {
		path, ids, _ := strings.Cut(strings.TrimSpace(line), " ")
		want = append(want, map[string]string{"/own": "main.handle ", "/job": "main.work "}[path]+ids)
	}
	traces := make(map[string]int) // spans by trace
	var got []string
	alone := make(map[string]int)
	for _, s := range spansOf(t, over.requests) {
		traces[string(s.TraceId)]++
		switch {
		case s.Name == "main.step":
		case len(s.ParentSpanId) == 0:
			alone[s.Name]++
		default:
			got = append(got, fmt.Sprintf("%s %x %x", s.Name, s.TraceId, s.ParentSpanId))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) != 6 || !slices.Equal(got, want) {
		t.Errorf("roots are below\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if fmt.Sprint(alone) != "map[main.handle:2 main.inside:1]" {
		t.Errorf("roots without parents: %v", alone)
	}
}
