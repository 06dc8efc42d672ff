package load

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/internal/spans"
)

// A Receiver is what requests are sent to.
type Receiver struct {
	Connections int // requests on their way at a time; 0: 1

	// Post sends a request, or part of it if the error is an *spans.Rejection. It returns its size in bytes.
	Post func(*spans.Request) (int, error)

	// Fatal, unless nil, reports whether an error of Post ends the run.
	Fatal func(error) bool
}

// timeout is how long a receiver has for a request.
const timeout = 10 * time.Second

// IsURL reports whether the name of an output is that of a receiver for ToURL.
func IsURL(name string) bool { return spans.IsURL(name) }

// ToURL returns the receiver of OTLP at a URL. Errors are fatal until the receiver has taken
// a request, unless it says that it is only busy. Such an error means that there is no
// receiver, or one of another protocol.
func ToURL(url string, connections int) (Receiver, error) {
	e, err := otlp.NewEndpoint(url, "")
	if err != nil {
		return Receiver{}, err
	}
	e.Timeout = timeout
	var taken atomic.Bool
	return Receiver{
		Connections: connections,
		Post: func(r *spans.Request) (int, error) {
			size, err := e.Post(r)
			if err == nil {
				taken.Store(true)
			}
			return size, err
		},
		Fatal: func(err error) bool { return !taken.Load() && !spans.Temporary(err) },
	}, nil
}

// ToWriter returns a receiver that writes requests, one on a line.
func ToWriter(w io.Writer) Receiver {
	return Receiver{
		Post:  func(r *spans.Request) (int, error) { return w.Write(r.JSON()) },
		Fatal: func(error) bool { return true },
	}
}
