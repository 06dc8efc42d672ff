//go:build go1.24

package otlp

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

// A gRPC collector that is unavailable or exhausted is asked again, if it says when; one that finds a
// request too large is sent halves.
func TestGRPC(t *testing.T) {
	var delay, retry, info, details protobuf.Message
	delay.Uint(2, uint64(300*time.Millisecond))
	retry.Message(1, delay)
	info.String(1, "type.googleapis.com/google.rpc.RetryInfo")
	info.Message(2, retry)
	details.Message(3, info)
	type answer struct {
		code, message string
		details       []byte
	}
	for _, tt := range []struct {
		name    string
		answers []answer // then it takes everything
		least   time.Duration
		want    Counts
	}{
		{"takes", nil, 0, Counts{Sent: 4, Spans: 4}},
		{"unavailable", []answer{{code: "14"}}, 0, Counts{Sent: 4, Spans: 4, Retries: 1}},
		{"says when", []answer{{code: "8", details: details}}, 300 * time.Millisecond, Counts{Sent: 4, Spans: 4, Retries: 1}},
		{"exhausted", []answer{{code: "8"}}, 0, Counts{Refused: 4}},
		{"too large", []answer{{code: "8", message: "grpc: received message larger than max (5000000 vs. 4194304)"}}, 0, Counts{Sent: 4, Spans: 4}},
		{"refused", []answer{{code: "16"}}, 0, Counts{Refused: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked []time.Time
			n := 0
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if asked = append(asked, time.Now()); len(body) < 5 || body[0] != 0 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 || r.Header.Get("Authorization") != "secret" {
					t.Errorf("%d bytes with %v", len(body), r.Header)
					return
				}
				w.Header().Set("Content-Type", "application/grpc")
				if i := len(asked) - 1; i < len(tt.answers) {
					w.Header().Set("Grpc-Status", tt.answers[i].code)
					w.Header().Set("Grpc-Message", tt.answers[i].message)
					w.Header().Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(tt.answers[i].details))
					return
				}
				n += len(namesIn(body[5:]))
				w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
				w.Write(make([]byte, 5))
			}))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			defer server.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
			s, _ := start(t, "grpc"+strings.TrimPrefix(server.URL, "http"), Options{Delay: time.Minute, Headers: map[string]string{"authorization": "secret"}})
			for i := 0; i < 4; i++ {
				s.Add(one(1))
			}
			if err := s.Flush(in(t, 10*time.Second)); err != nil {
				t.Fatal(err)
			}
			if got := s.Counts(); got != tt.want || n != int(got.Spans) {
				t.Errorf("%v, want %v; %d spans arrived", got, tt.want, n)
			}
			if tt.least > 0 && asked[1].Sub(asked[0]) < tt.least {
				t.Errorf("asked again after %v, want %v", asked[1].Sub(asked[0]), tt.least)
			}
		})
	}
}
