package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// An Endpoint is a Writer that sends requests to an OTLP receiver over HTTP, one after the other: who
// writes waits for the receiver. Requests that it does not take go to a file in the end.
type Endpoint struct {
	URL    string
	Unsent string // name of the file for what was not sent

	Timeout  time.Duration // of each attempt to send a request
	Patience time.Duration // in which new attempts begin
	Pause    time.Duration // before the second attempt; the later ones double

	Transport http.RoundTripper // nil is http.DefaultTransport

	file     *os.File
	sent     int    // requests
	unsent   int    // requests
	rejected uint64 // spans
	reason   error  // of the first request that was not sent
	message  string // of the receiver about rejected spans
}

// NewEndpoint returns the Endpoint of a URL. Without a path it is /v1/traces.
func NewEndpoint(text, unsent string) (*Endpoint, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Host == "" {
		return nil, fmt.Errorf("%s: want a URL with a host, as in http://localhost:4318", text)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return &Endpoint{URL: u.String(), Unsent: unsent, Timeout: 30 * time.Second, Patience: 2 * time.Minute, Pause: 500 * time.Millisecond}, nil
}

// IsURL reports whether the name of an output is that of an endpoint.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// Write sends a request, several times if need be. If that fails, it writes this request and all
// that follow to the file.
func (e *Endpoint) Write(request []byte) (int, error) {
	if e.reason == nil {
		if e.reason = e.send(request); e.reason == nil {
			e.sent++
			return len(request), nil
		}
	}
	if e.file == nil {
		f, err := os.OpenFile(e.Unsent, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return 0, errors.Join(e.reason, err)
		}
		e.file = f
	}
	e.unsent++
	return e.file.Write(request)
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
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// send sends a request until it is taken, or refused for good, or time is over. Pauses double,
// with a random part, unless the receiver names longer ones.
func (e *Endpoint) send(request []byte) error {
	body := compress(request)
	limit := time.Now().Add(e.Patience)
	for pause := e.Pause; ; pause = min(2*pause, 30*time.Second) {
		err := e.post(body)
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
				return fmt.Errorf("%s: %w", e.URL, err)
			}
			wait = max(wait, r.after)
		}
		if time.Now().Add(wait).After(limit) {
			return fmt.Errorf("%s: given up after %v: %w", e.URL, e.Patience, err)
		}
		time.Sleep(wait)
	}
}

// Post sends a request once. The error is a *Rejection if the receiver took a part of it. Any number of
// goroutines may call it at a time.
func (e *Endpoint) Post(request []byte) error { return e.post(compress(request)) }

func compress(request []byte) []byte {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	z.Write(request)
	z.Close()
	return body.Bytes()
}

func (e *Endpoint) post(body []byte) error {
	req, err := http.NewRequest(http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return &refusal{status: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	client := http.Client{Timeout: e.Timeout, Transport: e.Transport}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if resp.StatusCode/100 == 2 {
		return rejection(answer)
	}
	r := &refusal{status: resp.Status}
	if err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		r.text = strings.TrimSpace(string(answer[:min(len(answer), 200)]))
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusInternalServerError:
		r.again = true
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			r.after = time.Duration(min(max(s, 0), 3600)) * time.Second
		}
	}
	return r
}

// A Rejection says that a receiver has taken a request but for some of its spans.
type Rejection struct {
	Spans   uint64
	Message string // the receiver's
}

func (r *Rejection) Error() string {
	return fmt.Sprintf("%d spans were rejected: %s", r.Spans, r.Message)
}

// rejection returns the Rejection that is in an answer, or nil.
func rejection(answer []byte) error {
	var partial struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	if json.Unmarshal(answer, &partial) != nil {
		return nil
	}
	if n, err := strconv.ParseUint(partial.PartialSuccess.RejectedSpans.String(), 10, 64); err == nil && n > 0 {
		return &Rejection{n, partial.PartialSuccess.ErrorMessage}
	}
	return nil
}
