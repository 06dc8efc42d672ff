package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// A span is what readers want of one.
type span struct {
	TraceID, SpanID, ParentSpanID      string
	Name                               string
	StartTimeUnixNano, EndTimeUnixNano int64 `json:",string"`
	Attributes                         []struct {
		Key   string
		Value struct {
			StringValue string
			IntValue    int64 `json:",string"`
			BoolValue   bool
		}
	}
	Status struct{ Code int }
}

func (s *span) int(key string) int64 {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.IntValue
		}
	}
	return 0
}

// spansOf returns the spans of requests by their ids, and the ids in order.
func spansOf(t *testing.T, data []byte) (spans map[string]*span, ids []string) {
	t.Helper()
	spans = make(map[string]*span)
	for line := range strings.Lines(string(data)) {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []*span }
			}
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatalf("%v: %.300s", err, line)
		}
		for _, s := range request.ResourceSpans[0].ScopeSpans[0].Spans {
			if len(s.TraceID) != 32 || len(s.SpanID) != 16 || spans[s.SpanID] != nil {
				t.Errorf("span %q of trace %q: want one with ids of its own", s.SpanID, s.TraceID)
			}
			spans[s.SpanID] = s
			ids = append(ids, s.SpanID)
		}
	}
	return spans, ids
}

func readOTLP(t *testing.T, data []byte, e *ends) map[string]sums {
	spans, _ := spansOf(t, data)
	out := make(map[string]sums)
	for _, s := range spans {
		parent := spans[s.ParentSpanID]
		if s.ParentSpanID != "" && (parent == nil || parent.TraceID != s.TraceID) {
			t.Errorf("span %s has the parent %+v", s.Name, parent)
		}
		goroutine := uint64(s.int("thread.id"))
		if parent != nil && uint64(parent.int("thread.id")) != goroutine {
			e.start(goroutine, uint64(parent.int("thread.id")))
		}
		var marks []string
		for _, a := range s.Attributes {
			if a.Value.BoolValue {
				marks = append(marks, strings.TrimPrefix(a.Key, "waymark."))
			}
		}
		e.call(goroutine, s.Name, marks...)
		outermost := true
		for p := parent; p != nil && p.int("thread.id") == s.int("thread.id"); p = spans[p.ParentSpanID] {
			outermost = outermost && p.Name != s.Name
		}
		sum := out[seen(s.Name)]
		sum.calls++
		sum.self += s.int("waymark.self_ns")
		if outermost {
			sum.total += s.EndTimeUnixNano - s.StartTimeUnixNano
		}
		out[seen(s.Name)] = sum
	}
	return out
}

// Without a filter root calls have spans. Three generations of goroutines are a trace.
func TestSpans(t *testing.T) {
	spans, ids := spansOf(t, written(t, "otlp", record(t, strings.ReplaceAll(events(), "A10 ", "B10 ")), recording.Filter{}))
	var got []string
	traces := make(map[string]bool)
	for _, id := range ids {
		s := spans[id]
		traces[s.TraceID] = true
		text := fmt.Sprint("g", s.int("thread.id"), " ", s.Name)
		if p := spans[s.ParentSpanID]; p != nil {
			text += " in " + p.Name
		}
		if s.Status.Code == 2 {
			text += " failed"
		}
		got = append(got, text)
	}
	want := []string{
		"g4 " + strings.ToValidUTF8(hostile, "\ufffd") + " in main.(*T).child failed",
		"g3 main.(*T).child in main.(*T).child",
		"g2 main.(*T).child in main.caught",
		"g1 main.caught",
		"g4 main.waits in main.(*T).child",
	}
	if !slices.Equal(got, want) || len(traces) != 1 {
		t.Errorf("%d traces of\n%s\nwant one of\n%s", len(traces), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An endpoint that answers late with what was asked for gets all; one that does not leaves a file.
func TestEndpoint(t *testing.T) {
	want := written(t, "otlp", record(t, events()), recording.Filter{})
	for _, tt := range []struct {
		name    string
		answers []int // statuses; the last one again and again
		err     string
	}{
		{"at once", []int{200}, ""},
		{"later", []int{503, 429, 200}, ""},
		{"never", []int{500}, "given up after 100ms: 500 Internal Server Error"},
		{"refused", []int{400}, "400 Bad Request; 1 of 1 requests were not sent: they are in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			n := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status := tt.answers[min(n, len(tt.answers)-1)]
				n++
				if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Content-Encoding") != "" {
					t.Errorf("request to %s: %v", r.URL, r.Header)
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				w.WriteHeader(status)
				if status == 200 {
					got.Write(body)
					fmt.Fprint(w, `{"partialSuccess":{}}`)
				}
			}))
			defer server.Close()
			unsent := filepath.Join(t.TempDir(), "unsent")
			e, err := otlp.NewEndpoint(server.URL, unsent)
			if err != nil {
				t.Fatal(err)
			}
			if e.Pause = time.Millisecond; tt.err != "" {
				e.Patience = 100 * time.Millisecond
			}
			if _, err := otlp.Write(e, record(t, events()), &recording.Filter{}, calls.Options{}); err != nil {
				t.Fatal(err)
			}
			err = e.Close()
			if tt.err == "" {
				if err != nil || !bytes.Equal(got.Bytes(), want) {
					t.Errorf("%v, %d bytes; want %d", err, got.Len(), len(want))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v, want %q", err, tt.err)
			}
			if left, err := os.ReadFile(unsent); err != nil || !bytes.Equal(left, want) {
				t.Errorf("%v, %d bytes are in the file; want %d", err, len(left), len(want))
			}
		})
	}
}
