package spans

import (
	"errors"
	"fmt"
	"math/rand"
	"net"
	"time"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

// A Refusal is an answer that is no success.
type Refusal struct {
	Status   string
	Text     string        // the collector's
	Again    bool          // the request may be taken later
	After    time.Duration // as the collector says; 0 if it doesn't
	TooLarge bool          // a smaller request may be taken
}

func (r *Refusal) Error() string {
	if r.Text == "" {
		return printable(r.Status)
	}
	return printable(r.Status) + ": " + printable(r.Text)
}

// printable returns the beginning of a collector's words, without control characters of terminals.
func printable(text string) string { return names.Printable(text[:min(len(text), maxText)]) }

// maxText is how many bytes of a collector's words are shown.
const maxText = 200

// maxDelay is the longest time in s after which a collector is asked again.
const maxDelay = 3600

// A Rejection says that a collector has taken a request but for some of its spans.
type Rejection struct {
	Spans   uint64
	Message string // the collector's
}

func (r *Rejection) Error() string {
	return fmt.Sprintf("%d spans were rejected: %s", r.Spans, printable(r.Message))
}

// rejected returns a Rejection of spans, nil if there are none.
func rejected(spans uint64, message string) error {
	if spans == 0 {
		return nil
	}
	return &Rejection{spans, message}
}

// rejection returns the Rejection that is in a message, or nil. What can't be read has none: the
// collector has taken the request.
func rejection(message []byte) error {
	const partialSuccess, rejectedSpans, errorMessage = 1, 1, 2
	var spans uint64
	var said string
	protobuf.Each(message, partialSuccess, func(_ uint64, partial []byte) {
		protobuf.Each(partial, rejectedSpans, func(n uint64, _ []byte) { spans = n })
		protobuf.Each(partial, errorMessage, func(_ uint64, text []byte) { said = string(text) })
	})
	return rejected(spans, said)
}

// Temporary reports whether an error of Post may be gone at the next attempt, as the collector says,
// or because it only took too long.
func Temporary(err error) bool {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Again
	}
	if errors.As(err, new(*Rejection)) {
		return true
	}
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// maxPause is the longest pause between two attempts, unless the collector asks for more.
const maxPause = 30 * time.Second

// A Backoff says when to send a request again. Pauses double, with a random part.
type Backoff struct{ Pause time.Duration } // before the next attempt, about

// Next returns how long to wait after an error of Post. It returns false if the collector has
// refused the request for good.
func (b *Backoff) Next(err error) (wait time.Duration, again bool) {
	pause := max(b.Pause, 1)
	wait = pause/2 + time.Duration(rand.Int63n(int64(pause)))
	b.Pause = min(2*pause, maxPause)
	var r *Refusal
	if errors.As(err, &r) {
		return max(wait, r.After), r.Again
	}
	return wait, true
}
