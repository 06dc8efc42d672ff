package spans

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A Config says where a Client sends requests, and how.
type Config struct {
	URL     string // of http, https, grpc or grpcs; see NewClient
	JSON    bool   // over HTTP in JSON, else in protocol buffers
	Exact   bool   // the URL has its path, even if that is empty
	Plain   bool   // bodies are not compressed
	Header  map[string]string
	TLS     *tls.Config   // nil: as the system trusts
	Timeout time.Duration // of each attempt; 0: 10 s
}

// A Client sends requests to a collector. Any number of goroutines may use it at a time.
type Client struct {
	URL     string // with path and port, without a password
	Timeout time.Duration

	protocol
	plain  bool
	target string // URL of the HTTP requests
	header map[string]string
	http   http.Client
	other  string // URL of another protocol that the port is usually for; "" if there is none
}

// A protocol is one of those in which collectors take requests.
type protocol interface {
	// encode returns the body of what is sent, and how many bytes it had before it was compressed.
	encode(r *Request, plain bool) (body []byte, size int)

	// describe sets the header of a request.
	describe(h http.Header, body []byte, timeout time.Duration)

	// judge returns nil, a *Rejection or a *Refusal for an answer, whose body ended with err.
	judge(resp *http.Response, body []byte, err error) error
}

// Ports at which collectors listen as a rule.
const (
	grpcPort = "4317"
	httpPort = "4318"
)

// tracesPath is the path of a URL over HTTP that has none.
const tracesPath = "/v1/traces"

// NewClient returns the Client of a URL. A URL of http or https without a path has the path
// /v1/traces. A URL of grpc or grpcs without a port has the port 4317.
func NewClient(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	var wrong *url.Error
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("the collector's URL: %w", wrong.Err) // without a password
	}
	if err != nil {
		return nil, err
	}
	if u.Hostname() == "" || !IsURL(c.URL) {
		return nil, fmt.Errorf("%s: want a URL with a host, as in http://localhost:4318 or grpc://localhost:4317", u.Redacted())
	}
	n := &Client{Timeout: c.Timeout, plain: c.Plain, header: c.Header}
	if n.Timeout <= 0 {
		n.Timeout = 10 * time.Second
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second}
	if t, ok := http.DefaultTransport.(*http.Transport); ok { // else the program has replaced it
		transport = t.Clone()
	}
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1000 // as many as there are senders
	// While there is any timer, the scheduler of a program that has none else wakes its poller more often: a busy
	// service made 5 % more switches of threads for the timer of an idle connection.
	transport.IdleConnTimeout = 0
	if c.TLS != nil {
		transport.TLSClientConfig = c.TLS.Clone()
	}
	n.http.Transport = transport
	// What is sent goes where the user has said, and nowhere else.
	n.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if strings.HasPrefix(u.Scheme, "grpc") {
		return n, n.overGRPC(u, transport)
	}
	if strings.Trim(u.Path, "/") == "" && !c.Exact {
		u.Path = tracesPath
	}
	if u.Port() == grpcPort {
		n.other = "grpc://" + u.Host
	}
	n.URL, n.target, n.protocol = u.Redacted(), u.String(), overHTTP{c.JSON}
	return n, nil
}

// overGRPC makes a Client speak gRPC to the host of a URL, with TLS if its scheme is grpcs.
func (c *Client) overGRPC(u *url.URL, transport *http.Transport) error {
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return fmt.Errorf("%s: want a URL with a host and a port only, as in grpc://localhost:4317", u.Redacted())
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), grpcPort)
	} else if u.Port() == httpPort {
		c.other = "http://" + u.Host
	}
	u.Path = ""
	c.URL, c.protocol = u.Redacted(), grpc{}
	to := url.URL{Scheme: "http", User: u.User, Host: u.Host, Path: method}
	secure := u.Scheme == "grpcs"
	if secure {
		to.Scheme = "https"
	} else {
		transport.Proxy = nil // proxies take no HTTP/2 without TLS
	}
	c.target = to.String()
	return onlyHTTP2(transport, secure)
}

// IsURL reports whether a name is that of an endpoint.
func IsURL(name string) bool {
	for _, scheme := range []string{"http", "https", "grpc", "grpcs"} {
		if strings.HasPrefix(name, scheme+"://") {
			return true
		}
	}
	return false
}

// Hint returns what may be wrong with the URL if the collector takes nothing: "" or the end of an
// error that names a URL, behind flag.
func (c *Client) Hint(flag string) string {
	switch {
	case c.other == "":
		return ""
	case strings.HasPrefix(c.other, "grpc"):
		return "; most receivers take gRPC at this port: " + flag + c.other
	}
	return "; most receivers take HTTP at this port: " + flag + c.other
}

// Encode returns the body that Post sends for a request, and how many bytes it had before it was
// compressed.
func (c *Client) Encode(r *Request) (body []byte, size int) { return c.encode(r, c.plain) }

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 1 << 16

// Post sends a body once. The error is a *Rejection if the collector took a part of the body. It is
// a *Refusal if the collector has answered that it did not take the body.
func (c *Client) Post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target, bytes.NewReader(body))
	if err != nil {
		return &Refusal{Status: err.Error()}
	}
	for key, value := range c.header {
		req.Header.Set(key, value)
	}
	c.describe(req.Header, body, c.Timeout)
	client := c.http
	client.Timeout = c.Timeout
	resp, err := client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the path
		}
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return c.judge(resp, answer, err)
}

// Close closes the connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// leastCompressed is how many bytes are worth what compressing takes: most of a megabyte of the heap, which a service
// that sends a few traces a minute would have collected for it.
const leastCompressed = 32 << 10

// compress returns data in the form of gzip, unless plain, or there is little. It reports whether it has.
func compress(data []byte, plain bool) (out []byte, compressed bool) {
	if plain || len(data) < leastCompressed {
		return bytes.Clone(data), false
	}
	var b bytes.Buffer
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&b)
	z.Write(data)
	z.Close()
	return b.Bytes(), true
}

// magic is how gzip begins.
var magic = []byte{0x1f, 0x8b}

// writers are used again: each has most of a megabyte.
var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
