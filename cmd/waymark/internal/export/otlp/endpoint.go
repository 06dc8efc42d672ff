package otlp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/permission"
)

// An Endpoint is a Sink that sends requests to an OTLP receiver, one after the other: who sends waits
// for the receiver. Requests that it does not take go to a file in the end.
type Endpoint struct {
	URL    string
	Unsent string // name of the file for what was not sent; a number is added if there is one

	Timeout  time.Duration // of each attempt to send a request
	Patience time.Duration // in which new attempts begin
	Pause    time.Duration // before the second attempt; the later ones double

	protocol
	client   http.Client
	hint     string // what may be wrong with the URL, if the receiver takes nothing
	file     *os.File
	sent     int    // requests
	unsent   int    // requests
	rejected uint64 // spans
	reason   error  // of the first request that was not sent
	message  string // of the receiver about rejected spans
}

// A protocol is one of those in which receivers take requests.
type protocol interface {
	// encode returns the body of what post sends, and how many bytes it had before it was compressed.
	encode(*Request) (body []byte, size int)

	// post sends a body once. The error is a *Rejection if the receiver took a part of the body. It is
	// a *refusal if the receiver has answered that it did not take the body.
	post(client *http.Client, body []byte) error
}

// NewEndpoint returns the Endpoint of a URL. A URL of http or https without a path has the path
// /v1/traces. A URL of grpc or grpcs without a port has the port 4317.
func NewEndpoint(text, unsent string) (*Endpoint, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("%s: want a URL with a host, as in http://localhost:4318 or grpc://localhost:4317", text)
	}
	e := &Endpoint{Unsent: unsent, Timeout: 30 * time.Second, Patience: 2 * time.Minute, Pause: 500 * time.Millisecond}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1000 // as many as there are senders
	e.client.Transport = transport
	// What is sent goes where the user has said, and nowhere else.
	e.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if strings.HasPrefix(u.Scheme, "grpc") {
		if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return nil, fmt.Errorf("%s: want a URL with a host and a port only, as in grpc://localhost:4317", text)
		}
		if u.Port() == "" {
			u.Host = net.JoinHostPort(u.Hostname(), grpcPort)
		} else if u.Port() == httpPort {
			e.hint = "; most receivers take HTTP at this port: -o http://" + u.Host
		}
		u.Path = ""
		e.URL = u.String()
		e.protocol = newGRPC(u, transport)
		return e, nil
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	if u.Port() == grpcPort {
		e.hint = "; most receivers take gRPC at this port: -o grpc://" + u.Host
	}
	e.URL = u.String()
	e.protocol = jsonOverHTTP(e.URL)
	return e, nil
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 1 << 16

// Ports at which receivers listen as a rule.
const (
	grpcPort = "4317"
	httpPort = "4318"
)

// IsURL reports whether the name of an output is that of an endpoint.
func IsURL(name string) bool {
	for _, scheme := range []string{"http", "https", "grpc", "grpcs"} {
		if strings.HasPrefix(name, scheme+"://") {
			return true
		}
	}
	return false
}

// Send implements Sink. It tries several times if need be. If that fails, it writes this request and all
// that follow to the file, in JSON.
func (e *Endpoint) Send(r *Request) error {
	if e.reason == nil {
		if e.reason = e.send(r); e.reason == nil {
			e.sent++
			return nil
		}
	}
	if e.file == nil {
		f, err := create(e.Unsent)
		if err != nil {
			return errors.Join(e.reason, err)
		}
		e.file, e.Unsent = f, f.Name()
	}
	e.unsent++
	return Lines{e.file}.Send(r)
}

// create creates a file. If the name is taken it gets a number, as in unsent-2.otlp.json: nothing that an
// earlier export has left is lost.
func create(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	for n := 2; ; n++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permission.Private)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		name = fmt.Sprintf("%s%s-%d%s", dir, stem, n, base[len(stem):])
	}
}

// Close ends the file, if there is one. The error says what was not taken.
func (e *Endpoint) Close() error {
	var errs []error
	if e.rejected > 0 {
		errs = append(errs, fmt.Errorf("%s: %w", e.URL, &Rejection{e.rejected, e.message}))
	}
	if e.reason != nil {
		errs = append(errs, fmt.Errorf("%w; %d of %d requests were not sent: they are in %s", e.reason, e.unsent, e.sent+e.unsent, e.Unsent))
	}
	if e.file != nil {
		errs = append(errs, e.file.Close())
	}
	return errors.Join(errs...)
}

// A refusal is an answer that is no success.
type refusal struct {
	status string
	text   string
	again  bool          // it may be taken later
	after  time.Duration // as the receiver says; 0 if it doesn't
}

func (r *refusal) Error() string {
	if r.text == "" {
		return r.status
	}
	return r.status + ": " + r.text
}

// Temporary reports whether an error of Post may be gone at the next attempt, as the receiver says, or
// because it only took too long.
func Temporary(err error) bool {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.again
	}
	if _, ok := errors.AsType[*Rejection](err); ok {
		return true
	}
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// send sends a request until it is taken, or refused for good, or time is over. Pauses double,
// with a random part, unless the receiver names longer ones.
func (e *Endpoint) send(r *Request) error {
	body, _ := e.encode(r)
	limit := time.Now().Add(e.Patience)
	for pause := e.Pause; ; pause = min(2*pause, 30*time.Second) {
		err := e.postOnce(body)
		var some *Rejection
		if errors.As(err, &some) {
			e.rejected += some.Spans
			e.message = some.Message
			err = nil
		}
		if err == nil {
			return nil
		}
		wait := pause/2 + rand.N(pause)
		var r *refusal
		if errors.As(err, &r) {
			if !r.again {
				return fmt.Errorf("%s: %w%s", e.URL, err, e.hint)
			}
			wait = max(wait, r.after)
		}
		if time.Now().Add(wait).After(limit) {
			return fmt.Errorf("%s: given up after %v: %w%s", e.URL, e.Patience, err, e.hint)
		}
		time.Sleep(wait)
	}
}

// Post sends a request once, and returns how many bytes it has. The error is a *Rejection if the
// receiver took a part of it. Any number of goroutines may call it at a time.
func (e *Endpoint) Post(r *Request) (size int, err error) {
	body, size := e.encode(r)
	if err = e.postOnce(body); err != nil && e.hint != "" && !Temporary(err) {
		err = fmt.Errorf("%w%s", err, e.hint)
	}
	return size, err
}

func (e *Endpoint) postOnce(body []byte) error {
	client := e.client
	client.Timeout = e.Timeout
	return e.post(&client, body)
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// A Rejection says that a receiver has taken a request but for some of its spans.
type Rejection struct {
	Spans   uint64
	Message string // the receiver's
}

func (r *Rejection) Error() string {
	return fmt.Sprintf("%d spans were rejected: %s", r.Spans, r.Message)
}
