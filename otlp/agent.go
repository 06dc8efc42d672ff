package otlp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/program/outlet"
	"github.com/waymark-go/waymark/internal/text/units"
)

// init starts the sink that the variable WAYMARK asks for.
func init() {
	if outlet.Wanted != nil {
		outlet.Wanted(func(url string, say func(text string)) (outlet.Sink, error) {
			s, err := Start(url, Options{say: func(_ bool, text string) { say(text) }})
			if err != nil {
				return nil, err
			}
			return forAgent{s}, nil
		})
	}
}

// forAgent is the sink of an agent.
type forAgent struct{ *Sink }

// End implements outlet.Sink. It does not wait for a collector that is not there.
func (f forAgent) End(patience time.Duration) (leftOut string) {
	f.mu.Lock()
	f.ending = true
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f.Close(ctx) // the counts say what it could not send
	return f.Counts().leftOut()
}

// leftOut says what was not sent, and why; "" if all was.
func (c Counts) leftOut() string {
	var list []string
	total := uint64(0)
	for _, reason := range []struct {
		n    uint64
		text string
	}{
		{c.QueueFull, "the queue was full"}, {c.TooLarge, "too large"}, {c.Refused, "refused"}, {c.GivenUp, "given up"},
		{c.Closed, "the program ended before"},
	} {
		if reason.n > 0 {
			total += reason.n
			list = append(list, reason.text+": "+units.Count(reason.n))
		}
	}
	var parts []string
	if total > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s were not sent (%s)",
			units.Count(total), units.Things(total+c.Sent+c.Unsampled, "trace"), strings.Join(list, ", ")))
	}
	if c.Rejected > 0 {
		parts = append(parts, fmt.Sprintf("the collector rejected %s of %s", units.Count(c.Rejected), units.Things(c.Rejected+c.Spans, "span")))
	}
	return strings.Join(parts, "; ")
}
