package otlp

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
)

// of returns the environment of some variables, without OTEL_ in their names.
func of(variables ...string) *environment {
	return &environment{lookup: func(name string) string {
		for _, v := range variables {
			if value, ok := strings.CutPrefix(v, strings.TrimPrefix(name, "OTEL_")+"="); ok {
				return value
			}
		}
		return ""
	}}
}

// Endpoints and protocols are those of OpenTelemetry's specification.
func TestEndpoint(t *testing.T) {
	const all, traces = "EXPORTER_OTLP_", "EXPORTER_OTLP_TRACES_"
	for _, tt := range []struct {
		given     string
		variables []string
		want      string // after a failure: a part of the error
	}{
		{"", nil, "http://localhost:4318/v1/traces"},
		{"", []string{all + "PROTOCOL=grpc"}, "grpc://localhost:4317"},
		{"", []string{all + "ENDPOINT=http://c:1"}, "http://c:1/v1/traces"},
		{"", []string{all + "ENDPOINT=https://c/otlp/"}, "https://c/otlp/v1/traces"},
		{"", []string{all + "ENDPOINT=http://c", traces + "ENDPOINT=http://d:2/x"}, "http://d:2/x"},
		{"", []string{traces + "ENDPOINT=http://d:2"}, "http://d:2"},
		{"", []string{all + "PROTOCOL=grpc", all + "ENDPOINT=http://c:4317"}, "grpc://c:4317"},
		{"", []string{all + "PROTOCOL=grpc", all + "ENDPOINT=https://c:4317/"}, "grpcs://c:4317"},
		{"", []string{all + "PROTOCOL=http/json", traces + "PROTOCOL=grpc", all + "ENDPOINT=c:5"}, "grpcs://c:5"},
		{"", []string{all + "PROTOCOL=grpc", all + "INSECURE=true", all + "ENDPOINT=c:5"}, "grpc://c:5"},
		{"http://e:3", []string{traces + "ENDPOINT=http://d:2/x"}, "http://e:3/v1/traces"},
		{"http://e:3", []string{all + "PROTOCOL=grpc"}, "grpc://e:3"},
		{"grpcs://e", []string{all + "PROTOCOL=http/json"}, "grpcs://e:4317"},
		{"e:3", nil, "want a URL"},
		{"http://", nil, "want a URL with a host"},
		{"grpc://e/v1/traces", nil, "want a URL with a host and a port only"},
		{"", []string{all + "ENDPOINT=c:4318"}, "want a URL"},
		{"ftp://e", nil, "want a URL with a host, as in http://localhost:4318"},
	} {
		config, err := of(tt.variables...).config(tt.given, &Options{})
		var c *spans.Client
		if err == nil {
			c, err = spans.NewClient(config)
		}
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q, %q: %v, want %q", tt.given, tt.variables, err, tt.want)
			}
			continue
		}
		if c.URL != tt.want {
			t.Errorf("%q, %q: %s, want %s", tt.given, tt.variables, c.URL, tt.want)
		}
	}
}

// The other variables are obeyed, unless Options say something else. What can't be understood is ignored
// with a warning that has no secrets.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		variables []string
		options   Options
		want      spans.Config
		warnings  int
	}{
		{nil, Options{}, spans.Config{}, 0},
		{[]string{"EXPORTER_OTLP_HEADERS=a=1, key=s%20c%3Dt ,"}, Options{}, spans.Config{Header: map[string]string{"a": "1", "key": "s c=t"}}, 0},
		{[]string{"EXPORTER_OTLP_HEADERS=a=1", "EXPORTER_OTLP_TRACES_HEADERS=b=2"}, Options{Headers: map[string]string{"c": "3"}}, spans.Config{Header: map[string]string{"b": "2", "c": "3"}}, 0},
		{[]string{"EXPORTER_OTLP_HEADERS=secret,=secret,a=%zz,b=1"}, Options{}, spans.Config{Header: map[string]string{"b": "1"}}, 3},
		{[]string{"EXPORTER_OTLP_TIMEOUT=1500"}, Options{}, spans.Config{Timeout: 1500 * time.Millisecond}, 0},
		{[]string{"EXPORTER_OTLP_TIMEOUT=1500"}, Options{Timeout: time.Second}, spans.Config{Timeout: time.Second}, 0},
		{[]string{"EXPORTER_OTLP_TIMEOUT=secret"}, Options{}, spans.Config{}, 1},
		{[]string{"EXPORTER_OTLP_COMPRESSION=none"}, Options{}, spans.Config{Plain: true}, 0},
		{[]string{"EXPORTER_OTLP_COMPRESSION=gzip"}, Options{}, spans.Config{}, 0},
		{[]string{"EXPORTER_OTLP_COMPRESSION=secret"}, Options{}, spans.Config{}, 1},
		{[]string{"EXPORTER_OTLP_PROTOCOL=http/json"}, Options{}, spans.Config{JSON: true}, 0},
		{[]string{"EXPORTER_OTLP_PROTOCOL=secret"}, Options{}, spans.Config{}, 1},
		{[]string{"EXPORTER_OTLP_PROTOCOL=secret"}, Options{Protocol: "http/json"}, spans.Config{JSON: true}, 0},
	} {
		e := of(tt.variables...)
		got, err := e.config("http://c", &tt.options)
		tt.want.URL = "http://c"
		if tt.want.Header == nil {
			tt.want.Header = map[string]string{}
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) || len(e.warnings) != tt.warnings {
			t.Errorf("%q: %+v, %v, %q; want %+v", tt.variables, got, err, e.warnings, tt.want)
		}
		if strings.Contains(fmt.Sprint(e.warnings), "secret") {
			t.Errorf("warnings have a value: %q", e.warnings)
		}
	}
	for want, variable := range map[string]string{
		"no such file": "EXPORTER_OTLP_CERTIFICATE=/nowhere", "want a file in PEM format": "EXPORTER_OTLP_CERTIFICATE=environment_test.go",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE needs a key: set OTEL_EXPORTER_OTLP_CLIENT_KEY": "EXPORTER_OTLP_CLIENT_CERTIFICATE=x",
	} {
		if _, err := of(variable).config("https://c", &Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", variable, err, want)
		}
	}
	if _, err := Start("http://c", Options{Protocol: "thrift"}); err == nil || !strings.Contains(err.Error(), "want grpc, http/protobuf or http/json") {
		t.Errorf("a protocol that there is not: %v", err)
	}
}

// The resource has the program, the environment and the options, the last of which counts.
func TestResource(t *testing.T) {
	for _, tt := range []struct {
		variables []string
		options   Options
		want      string
	}{
		{nil, Options{}, "service.name otlp.test"},
		{[]string{"RESOURCE_ATTRIBUTES=service.name=a,host.name=h%31"}, Options{}, "service.name a, host.name h1"},
		{[]string{"RESOURCE_ATTRIBUTES=service.name=a", "SERVICE_NAME=b"}, Options{}, "service.name b"},
		{[]string{"SERVICE_NAME=b"}, Options{Service: "c", Attributes: map[string]string{"z": "1", "service.name": "d"}}, "service.name c, z 1"},
	} {
		r := spans.Of([]spans.Span{{Resource: of(tt.variables...).resource(&tt.options)}})
		text := string(r.JSON())
		for _, pair := range strings.Split(tt.want, ", ") {
			key, value, _ := strings.Cut(pair, " ")
			if want := fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value); strings.Count(text, want) != 1 || strings.Count(text, `"`+key+`"`) != 1 {
				t.Errorf("%q: %s, want %s", tt.variables, text, want)
			}
		}
	}
}

// What is sent has the headers, the certificate and the form that the environment asks for.
func TestSecure(t *testing.T) {
	c := &collector{}
	server := httptest.NewUnstartedServer(c)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", file)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=1")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL+"/there")
	s, _ := start(t, "", Options{})
	s.Add(one(1))
	if err := s.Close(in(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if c.path != "/there" || c.head.Get("Api-Key") != "1" || c.head.Get("Content-Type") != "application/x-protobuf" || c.head.Get("Content-Encoding") != "" || len(c.names) != 1 {
		t.Errorf("%s got %v, %d spans", c.path, http.Header(c.head), len(c.names))
	}
}

// A password in the URL is sent, and not printed.
func TestPassword(t *testing.T) {
	var user string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, user, _ = r.BasicAuth()
		w.WriteHeader(400)
	}))
	defer server.Close()
	s, log := start(t, strings.Replace(server.URL, "://", "://me:secret@", 1), Options{})
	s.Add(one(1))
	err := s.Flush(in(t, 10*time.Second))
	if lines := fmt.Sprint(log.lines(), err); user != "secret" || strings.Contains(lines, "secret") || !strings.Contains(lines, "400") {
		t.Errorf("sent %q, said %s", user, lines)
	}
	for _, url := range []string{"http://me:secret@/", "http://me:secret@c:port", "grpc://me:secret@c/path"} {
		if _, err := Start(url, Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}
