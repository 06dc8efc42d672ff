package otlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/permission"
	"github.com/waymark-go/waymark/internal/spans"
)

// A Sink takes requests. They are its own until Send returns.
type Sink interface{ Send(*spans.Request) error }

// Lines is a Sink that writes requests in JSON, one on a line, as the protocol's file exporters do.
type Lines struct{ io.Writer }

// Send implements Sink, in one call of Write.
func (l Lines) Send(r *spans.Request) error {
	_, err := l.Write(r.JSON())
	return err
}

// An Endpoint is a Sink that sends requests to an OTLP receiver, one after the other: who sends waits
// for the receiver. Requests that it does not take go to a file in the end.
type Endpoint struct {
	Unsent string // name of the file for what was not sent; a number is added if there is one

	Patience time.Duration // in which new attempts begin
	Pause    time.Duration // before the second attempt; the later ones double

	*spans.Client
	file     *os.File
	sent     int    // requests
	unsent   int    // requests
	rejected uint64 // spans
	reason   error  // of the first request that was not sent
	message  string // of the receiver about rejected spans
}

// NewEndpoint returns the Endpoint of a URL, see spans.NewClient. Over HTTP it sends JSON.
func NewEndpoint(url, unsent string) (*Endpoint, error) {
	c, err := spans.NewClient(spans.Config{URL: url, JSON: true, Timeout: 30 * time.Second})
	if err != nil {
		return nil, err
	}
	return &Endpoint{Unsent: unsent, Patience: 2 * time.Minute, Pause: 500 * time.Millisecond, Client: c}, nil
}

// Send implements Sink. It tries several times if need be. If that fails, it writes this request and all
// that follow to the file, in JSON.
func (e *Endpoint) Send(r *spans.Request) error {
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
		errs = append(errs, fmt.Errorf("%s: %w", e.URL, &spans.Rejection{Spans: e.rejected, Message: e.message}))
	}
	if e.reason != nil {
		errs = append(errs, fmt.Errorf("%w; %d of %d requests were not sent: they are in %s", e.reason, e.unsent, e.sent+e.unsent, e.Unsent))
	}
	if e.file != nil {
		errs = append(errs, e.file.Close())
	}
	return errors.Join(errs...)
}

// send sends a request until it is taken, or refused for good, or time is over.
func (e *Endpoint) send(r *spans.Request) error {
	body, _ := e.Encode(r)
	limit := time.Now().Add(e.Patience)
	for pause := (spans.Backoff{Pause: e.Pause}); ; {
		err := e.Client.Post(context.Background(), body)
		if some, ok := errors.AsType[*spans.Rejection](err); ok {
			e.rejected += some.Spans
			e.message = some.Message
			err = nil
		}
		if err == nil {
			return nil
		}
		wait, again := pause.Next(err)
		if !again {
			return fmt.Errorf("%s: %w%s", e.URL, err, e.hint())
		}
		if time.Now().Add(wait).After(limit) {
			return fmt.Errorf("%s: given up after %v: %w%s", e.URL, e.Patience, err, e.hint())
		}
		time.Sleep(wait)
	}
}

// hint returns what may be wrong with the URL, for the end of an error.
func (e *Endpoint) hint() string { return e.Hint("-o ") }

// Post sends a request once, and returns how many bytes it has. The error is a *spans.Rejection if
// the receiver took a part of it. Any number of goroutines may call it at a time.
func (e *Endpoint) Post(r *spans.Request) (size int, err error) {
	body, size := e.Encode(r)
	if err = e.Client.Post(context.Background(), body); err != nil && !spans.Temporary(err) {
		err = fmt.Errorf("%w%s", err, e.hint())
	}
	return size, err
}
