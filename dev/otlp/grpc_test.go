package otlp

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // as receivers of OpenTelemetry's protocol must have
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// A receiver is a gRPC server that keeps what it is sent.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	address string

	mu       sync.Mutex // of what follows
	answers  []error    // of the first requests, which it does not take
	partial  *collector.ExportTracePartialSuccess
	asked    []time.Time
	requests []*collector.ExportTraceServiceRequest
}

func (r *receiver) Export(_ context.Context, q *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, time.Now())
	if len(r.answers) > 0 {
		err := r.answers[0]
		r.answers = r.answers[1:]
		return nil, err
	}
	r.requests = append(r.requests, q)
	return &collector.ExportTraceServiceResponse{PartialSuccess: r.partial}, nil
}

// serve starts a receiver that ends with the test.
func serve(t *testing.T, secure bool) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if secure {
		options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(certificate(t))))
	}
	r := &receiver{address: listener.Addr().String()}
	server := grpc.NewServer(options...)
	collector.RegisterTraceServiceServer(server, r)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return r
}

// certificate makes one for the loopback address, which the commands that the test runs trust.
func certificate(t *testing.T) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", file)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// exhausted is the answer that says when to come again, or leaves that open.
func exhausted(t *testing.T, again time.Duration) error {
	t.Helper()
	s := status.New(codes.ResourceExhausted, "too much")
	if again > 0 {
		var err error
		if s, err = s.WithDetails(&errdetails.DebugInfo{Detail: "of no interest"}, &errdetails.RetryInfo{RetryDelay: durationpb.New(again)}); err != nil {
			t.Fatal(err)
		}
	}
	return s.Err()
}

// A receiver that is busy is asked again, when it says or a little later. What it refuses is in a file,
// as it would have been sent.
func TestRefusals(t *testing.T) {
	file := record(t)
	dir, out, err := export(t, file, "spans.json")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := written(t, filepath.Join(dir, "spans.json"))
	rejected := fmt.Sprint(3*len(want), " spans were rejected: too old")
	const delay = 1500 * time.Millisecond
	for _, tt := range []struct {
		name    string
		answers []error
		partial *collector.ExportTracePartialSuccess
		least   time.Duration // between the first two attempts
		says    string        // "" if all is well
		unsent  bool
	}{
		{name: "unavailable", answers: []error{status.Error(codes.Unavailable, "restarts")}, least: 250 * time.Millisecond},
		{name: "says when", answers: []error{exhausted(t, delay)}, least: delay},
		{name: "exhausted", answers: []error{exhausted(t, 0)}, says: ": RESOURCE_EXHAUSTED: too much; ", unsent: true},
		{name: "refused", answers: []error{status.Error(codes.InvalidArgument, "50 % of \"that\" is wröng")}, says: ": INVALID_ARGUMENT: 50 % of \"that\" is wröng; ", unsent: true},
		{name: "in part", partial: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}, says: rejected},
		{name: "with a warning", partial: &collector.ExportTracePartialSuccess{ErrorMessage: "be quick"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := serve(t, false)
			r.answers, r.partial = tt.answers, tt.partial
			dir, out, err := export(t, file, "grpc://"+r.address)
			if (err != nil) != (tt.says != "") || !strings.Contains(out, tt.says) {
				t.Errorf("%v\n%s\nwant %q", err, out, tt.says)
			}
			if len(tt.answers) > 0 && !tt.unsent {
				if waited := r.asked[1].Sub(r.asked[0]); waited < tt.least {
					t.Errorf("asked again after %v, want %v or more", waited, tt.least)
				}
			}
			unsent := filepath.Join(dir, "unsent.otlp.json")
			if tt.unsent {
				same(t, "what was not sent", written(t, unsent), want)
				return
			}
			same(t, "what was sent", r.requests, want)
			if _, err := os.Stat(unsent); err == nil {
				t.Errorf("there is %s", unsent)
			}
		})
	}
}
