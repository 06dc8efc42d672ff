package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
)

// Protocols, as OpenTelemetry calls them.
const (
	protocolGRPC     = "grpc"
	protocolProtobuf = "http/protobuf"
	protocolJSON     = "http/json"
)

// An environment is the variables of OpenTelemetry.
type environment struct {
	lookup   func(name string) string
	warnings []string // about values that are ignored
}

// Variables begin with one of these.
const (
	forAll    = "OTEL_EXPORTER_OTLP_"
	forTraces = "OTEL_EXPORTER_OTLP_TRACES_"
)

// get returns the value of a variable for traces, or else of that for all signals.
func (e *environment) get(name string) (variable, value string) {
	for _, prefix := range []string{forTraces, forAll} {
		if value = strings.TrimSpace(e.lookup(prefix + name)); value != "" {
			return prefix + name, value
		}
	}
	return "", ""
}

// ignore notes a value that can't be understood. Its text may be secret.
func (e *environment) ignore(variable, want string) {
	e.warnings = append(e.warnings, fmt.Sprintf("otlp: %s is ignored: want %s", variable, want))
}

// config returns where and how requests are sent. Options have the last word.
func (e *environment) config(endpoint string, o *Options) (c spans.Config, err error) {
	protocol, err := e.protocol(o)
	if err != nil {
		return c, err
	}
	c.JSON = protocol == protocolJSON
	c.URL, c.Exact = e.endpoint(endpoint, protocol == protocolGRPC)
	if protocol == protocolGRPC && strings.HasPrefix(c.URL, "http") {
		c.URL = "grpc" + strings.TrimPrefix(c.URL, "http")
	}
	c.Header = make(map[string]string)
	if variable, value := e.get("HEADERS"); value != "" {
		e.pairs(variable, value, func(key, value string) { c.Header[key] = value })
	}
	for key, value := range o.Headers {
		c.Header[key] = value
	}
	if c.Timeout = o.Timeout; c.Timeout <= 0 {
		c.Timeout = 0
		if variable, value := e.get("TIMEOUT"); value != "" {
			ms, err := strconv.ParseUint(value, 10, 31)
			if err != nil || ms == 0 {
				e.ignore(variable, "milliseconds, as in 10000")
			}
			c.Timeout = time.Duration(ms) * time.Millisecond
		}
	}
	switch variable, value := e.get("COMPRESSION"); value {
	case "", "gzip":
	case "none":
		c.Plain = true
	default:
		e.ignore(variable, "gzip or none")
	}
	if c.TLS = o.TLS; c.TLS == nil {
		c.TLS, err = e.tls()
	}
	return c, err
}

// protocol returns the protocol over http and https.
func (e *environment) protocol(o *Options) (string, error) {
	known := func(p string) bool { return p == protocolGRPC || p == protocolProtobuf || p == protocolJSON }
	const want = protocolGRPC + ", " + protocolProtobuf + " or " + protocolJSON
	if o.Protocol != "" && !known(o.Protocol) {
		return "", fmt.Errorf("protocol %q: want %s", o.Protocol, want)
	}
	if o.Protocol != "" {
		return o.Protocol, nil
	}
	variable, value := e.get("PROTOCOL")
	if value == "" {
		return protocolProtobuf, nil
	}
	if !known(value) {
		e.ignore(variable, want)
		return protocolProtobuf, nil
	}
	return value, nil
}

// endpoint returns the URL to send to, and whether its path is exact.
func (e *environment) endpoint(given string, grpc bool) (to string, exact bool) {
	if given != "" {
		return given, false
	}
	variable, to := e.get("ENDPOINT")
	switch {
	case to == "" && grpc:
		return "grpc://localhost:4317", false
	case to == "":
		return "http://localhost:4318", false
	case grpc && !strings.Contains(to, "://"): // HOST:PORT
		if _, insecure := e.get("INSECURE"); strings.EqualFold(insecure, "true") {
			return "grpc://" + to, false
		}
		return "grpcs://" + to, false
	case grpc: // a path means nothing
		if u, err := url.Parse(to); err == nil {
			u.Path, u.RawQuery = "", ""
			to = u.String()
		}
		return to, false
	case strings.HasPrefix(variable, forTraces):
		return to, true
	}
	if u, err := url.Parse(to); err == nil {
		return u.JoinPath("v1", "traces").String(), true
	}
	return to, true // which is an error
}

// pairs calls f with each pair of a list such as key1=value1,key2=value2.
func (e *environment) pairs(variable, list string, f func(key, value string)) {
	for _, pair := range strings.Split(list, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key, keyErr := url.PathUnescape(strings.TrimSpace(key))
		value, valueErr := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || keyErr != nil || valueErr != nil {
			e.ignore("a part of "+variable, "key1=value1,key2=value2")
			continue
		}
		f(key, value)
	}
}

// tls returns what the variables say of certificates, nil if nothing.
func (e *environment) tls() (*tls.Config, error) {
	_, trusted := e.get("CERTIFICATE")
	certificate, own := e.get("CLIENT_CERTIFICATE")
	_, key := e.get("CLIENT_KEY")
	if trusted == "" && own == "" {
		return nil, nil
	}
	c := new(tls.Config)
	if trusted != "" {
		pem, err := os.ReadFile(trusted)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it: want a file in PEM format", trusted)
		}
	}
	if own != "" {
		if key == "" {
			return nil, errors.New(certificate + " needs a key: set " + strings.TrimSuffix(certificate, "CERTIFICATE") + "KEY")
		}
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// resource returns what describes the program. Options have the last word.
func (e *environment) resource(o *Options) *spans.Resource {
	p := spans.Process{PID: os.Getpid(), Go: runtime.Version()}
	p.Path, _ = os.Executable()
	p.Service = strings.TrimSuffix(filepath.Base(p.Path), ".exe")
	p.Host, _ = os.Hostname()
	r := p.Resource()
	e.pairs("OTEL_RESOURCE_ATTRIBUTES", e.lookup("OTEL_RESOURCE_ATTRIBUTES"), r.Attributes.Set)
	if name := strings.TrimSpace(e.lookup("OTEL_SERVICE_NAME")); name != "" {
		r.Attributes.Set("service.name", name)
	}
	keys := make([]string, 0, len(o.Attributes))
	for key := range o.Attributes {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		r.Attributes.Set(key, o.Attributes[key])
	}
	if o.Service != "" {
		r.Attributes.Set("service.name", o.Service)
	}
	return r
}
