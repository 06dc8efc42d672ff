package export

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

// send exports to a URL, in haste, and returns what was left in the file of what was not sent.
func send(t *testing.T, url string) (unsent []byte, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "unsent")
	e, err := otlp.NewEndpoint(url, file)
	if err != nil {
		t.Fatal(err)
	}
	e.Pause, e.Patience, e.Timeout = time.Millisecond, 100*time.Millisecond, 50*time.Millisecond
	if _, err := otlp.Write(e, record(t, events()), &recording.Filter{}, calls.Options{}); err != nil {
		t.Fatal(err)
	}
	err = e.Close()
	unsent, readErr := os.ReadFile(file)
	if (readErr == nil) != (err != nil) {
		t.Errorf("%v; of the file: %v", err, readErr)
	}
	return unsent, err
}

// What a failed export has left is kept by the next ones.
func TestUnsentAgain(t *testing.T) {
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down.Close()
	dir := t.TempDir()
	for _, want := range []string{"unsent.otlp.json", "unsent-2.otlp.json", "unsent-3.otlp.json"} {
		e, err := otlp.NewEndpoint("http://"+down.Addr().String(), filepath.Join(dir, "unsent.otlp.json"))
		if err != nil {
			t.Fatal(err)
		}
		e.Pause, e.Patience = time.Millisecond, time.Millisecond
		if _, err := otlp.Write(e, record(t, events()), &recording.Filter{}, calls.Options{}); err != nil {
			t.Fatal(err)
		}
		want = filepath.Join(dir, want)
		if err := e.Close(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want an error with %s", err, want)
		}
		if info, err := os.Stat(want); err != nil || info.Size() == 0 {
			t.Errorf("%v, %v, want a file with spans", info, err)
		}
	}
}

// What is sent to an address at which nobody listens, or nobody answers in time, is in a file.
func TestNoReceiver(t *testing.T) {
	want := written(t, "otlp", record(t, events()), recording.Filter{})
	down, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // whose connections nobody takes
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ended := make(chan struct{})
	slow := serveHTTP2(t, func(http.ResponseWriter, *http.Request) { <-ended })
	defer close(ended)
	for _, tt := range []struct{ name, address, err string }{
		{"down", down.Addr().String(), "connection refused"},
		{"silent", silent.Addr().String(), "Client.Timeout exceeded"},
		{"slow", slow, "Client.Timeout exceeded"},
	} {
		for _, scheme := range []string{"http", "grpc"} {
			t.Run(tt.name+" "+scheme, func(t *testing.T) {
				unsent, err := send(t, scheme+"://"+tt.address)
				if err == nil || !strings.Contains(err.Error(), "given up after 100ms: ") || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v; want %q", err, tt.err)
				}
				if !bytes.Equal(unsent, want) {
					t.Errorf("%d bytes are in the file, want %d", len(unsent), len(want))
				}
			})
		}
	}
}

// serveHTTP2 serves both versions of HTTP, without TLS, until the test ends.
func serveHTTP2(t *testing.T, handler http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// A grpcAnswer is how a call of gRPC is answered.
type grpcAnswer struct {
	status  string // of gRPC; "" for none
	http    int    // of HTTP, 0 for 200
	message string
	details []byte // of the status
	body    []byte
}

func (a *grpcAnswer) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	prefix := ""
	if len(a.body) > 0 {
		prefix = http.TrailerPrefix
	}
	set := func(key, value string) {
		if value != "" {
			h.Set(prefix+key, value)
		}
	}
	set("Grpc-Status", a.status)
	set("Grpc-Message", a.message)
	set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(a.details))
	if a.http != 0 {
		w.WriteHeader(a.http)
	}
	w.Write(a.body)
}

// framed returns a message with its head.
func framed(m protobuf.Message, zipped bool) []byte {
	b := make([]byte, 5)
	if zipped {
		b[0] = 1
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(m)
		w.Close()
		m = z.Bytes()
	}
	binary.BigEndian.PutUint32(b[1:], uint32(len(m)))
	return append(b, m...)
}

// Answers of gRPC receivers: some are asked again, some have said no.
func TestGRPC(t *testing.T) {
	want := written(t, "otlp", record(t, events()), recording.Filter{})
	var partial, response protobuf.Message
	partial.Uint(1, 2)
	partial.String(2, "too old")
	response.Message(1, partial)
	again := func(after time.Duration) []byte {
		var delay, retry, info, other, status protobuf.Message
		delay.Uint(1, uint64(after/time.Second))
		delay.Uint(2, uint64(after%time.Second))
		retry.Message(1, delay)
		info.String(1, "type.googleapis.com/google.rpc.RetryInfo")
		info.Message(2, retry)
		other.String(1, "type.googleapis.com/google.rpc.DebugInfo")
		other.Message(2, retry)
		status.Uint(1, 8)
		status.Message(3, other)
		status.Message(3, info)
		return status
	}
	good := grpcAnswer{status: "0", body: framed(nil, false)}
	for _, tt := range []struct {
		name    string
		answers []grpcAnswer // the last one again and again
		err     string
		taken   bool
	}{
		{"at once", []grpcAnswer{good}, "", true},
		{"later", []grpcAnswer{{status: "14"}, {status: "1"}, {status: "4"}, {status: "10"}, {status: "15", body: framed(nil, false)}, {http: 503}, good}, "", true},
		{"when it says", []grpcAnswer{{status: "8", details: again(20 * time.Millisecond)}, {status: "8", details: again(0)}, good}, "", true},
		{"too late", []grpcAnswer{{status: "8", details: again(time.Hour), message: "full"}, good}, "given up after 100ms: RESOURCE_EXHAUSTED: full; 1 of 1", false},
		{"never", []grpcAnswer{{status: "14", message: "down"}}, "given up after 100ms: UNAVAILABLE: down", false},
		{"exhausted", []grpcAnswer{{status: "8"}, good}, ": RESOURCE_EXHAUSTED; 1 of 1 requests were not sent: they are in", false},
		{"damaged details", []grpcAnswer{{status: "8", details: []byte{0x1a, 0xff, 1}}, good}, ": RESOURCE_EXHAUSTED; ", false},
		{"refused", []grpcAnswer{{status: "3", message: "50%25 of %22it%22 is wr%C3%B6ng"}, good}, `: INVALID_ARGUMENT: 50% of "it" is wröng; `, false},
		{"new status", []grpcAnswer{{status: "99"}, good}, ": status 99; ", false},
		{"forbidden", []grpcAnswer{{http: 403}, good}, ": 403 Forbidden; ", false},
		{"no gRPC", []grpcAnswer{{body: []byte("hello")}, good}, "no receiver of gRPC answers", false},
		{"in part", []grpcAnswer{{status: "0", body: framed(response, false)}}, ": 2 spans were rejected: too old", true},
		{"in part, zipped", []grpcAnswer{{status: "0", body: framed(response, true)}}, ": 2 spans were rejected: too old", true},
		{"damaged answer", []grpcAnswer{{status: "0", body: append([]byte{1, 0, 0, 0, 3}, "zip"...)}}, "", true},
		{"cut answer", []grpcAnswer{{status: "0", body: framed(response, false)[:7]}}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			address := serveHTTP2(t, func(w http.ResponseWriter, r *http.Request) {
				answer := tt.answers[min(n, len(tt.answers)-1)]
				n++
				body, err := io.ReadAll(r.Body)
				if err != nil || r.ProtoMajor != 2 || r.Method != "POST" || r.URL.Path != "/opentelemetry.proto.collector.trace.v1.TraceService/Export" ||
					r.Header.Get("Content-Type") != "application/grpc" || r.Header.Get("Te") != "trailers" || r.Header.Get("Grpc-Timeout") != "10000m" ||
					len(body) < 5 || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 {
					t.Errorf("%s %s to %s with %v: %v, %d bytes", r.Proto, r.Method, r.URL, r.Header, err, len(body))
				}
				answer.write(w)
			})
			file := filepath.Join(t.TempDir(), "unsent")
			e, err := otlp.NewEndpoint("grpc://"+address, file)
			if err != nil {
				t.Fatal(err)
			}
			e.Pause, e.Timeout, e.Patience = time.Millisecond, 10*time.Second, time.Minute
			if !tt.taken {
				e.Patience = 100 * time.Millisecond
			}
			if _, err := otlp.Write(e, record(t, events()), &recording.Filter{}, calls.Options{}); err != nil {
				t.Fatal(err)
			}
			err = e.Close()
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v, want %q", err, tt.err)
			}
			unsent, _ := os.ReadFile(file)
			if tt.taken && n != len(tt.answers) || tt.taken != (unsent == nil) || !tt.taken && !bytes.Equal(unsent, want) {
				t.Errorf("asked %d times, %d bytes are in the file", n, len(unsent))
			}
		})
	}
}

// Who mixes the ports up is told so.
func TestPorts(t *testing.T) {
	for url, want := range map[string]string{
		"grpc://localhost":           "",
		"grpc://[::1]":               "",
		"grpcs://collector:443":      "",
		"grpc://localhost:4317/":     "",
		"grpc://localhost/v1/traces": "want a URL with a host and a port only",
		"grpc://":                    "want a URL with a host, as in",
		"http://:4318":               "want a URL with a host, as in",
		"grpc://localhost:port":      "invalid port",
	} {
		e, err := otlp.NewEndpoint(url, "")
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
		if err == nil && !strings.Contains(e.URL, ":4317") && !strings.Contains(e.URL, ":443") {
			t.Errorf("%s: %s has no port", url, e.URL)
		}
	}
	for _, url := range []string{"http://127.0.0.1:4317", "grpc://127.0.0.1:4318"} {
		e, err := otlp.NewEndpoint(url, filepath.Join(t.TempDir(), "unsent"))
		if err != nil {
			t.Fatal(err)
		}
		e.Pause, e.Patience, e.Timeout = time.Millisecond, 0, 50*time.Millisecond
		otlp.Write(e, record(t, events()), &recording.Filter{}, calls.Options{})
		if err := e.Close(); err == nil || !strings.Contains(err.Error(), " at this port: -o ") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
