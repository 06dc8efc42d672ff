package otlp

import (
	"encoding/hex"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
)

// A spanContext names a span, as the header traceparent of W3C's Trace Context does.
type spanContext struct {
	trace [16]byte
	span  [8]byte
}

// contexts say which span of a recording was the last to send a context. What receives that context
// is the span's child. Programs have sent contexts to each other, and recorded arguments have them.
type contexts struct{ recent, older map[spanContext]spanContext }

// maxContexts bounds what is kept of requests that nobody in the recordings has received.
const maxContexts = 1 << 16

// of returns the span in which a context was sent: the context itself, if no recording has that.
func (c *contexts) of(told spanContext) *spanContext {
	if sent, ok := c.recent[told]; ok {
		return &sent
	}
	if sent, ok := c.older[told]; ok {
		return &sent
	}
	return &told
}

func (c *contexts) set(told, span spanContext) {
	if c.recent == nil || len(c.recent) >= maxContexts {
		c.older, c.recent = c.recent, make(map[spanContext]spanContext)
	}
	c.recent[told] = span
}

// contextOf returns the context that values have in their texts.
func contextOf(values []calls.Value) (c spanContext, ok bool) {
	for i := range values {
		if c, ok = parseContext(values[i].Text); ok {
			return c, true
		}
	}
	return c, false
}

// parseContext finds the first context in a text. It is "00-", 32 hexadecimal digits of a trace,
// "-", 16 of a span, and "-" with two of flags. Zeros are no ids.
func parseContext(text string) (c spanContext, ok bool) {
	const version, trace, span, flags = 2, 32, 16, 2
	for {
		i := strings.IndexByte(text, '-')
		if i < 0 || len(text)-i < 1+trace+1+span+1+flags {
			return c, false
		}
		ids := text[i+1:]
		if i >= version && text[i-version:i] == "00" && ids[trace] == '-' && ids[trace+1+span] == '-' &&
			decode(c.trace[:], ids[:trace]) && decode(c.span[:], ids[trace+1:trace+1+span]) &&
			c.trace != [16]byte{} && c.span != [8]byte{} {
			return c, true
		}
		text = ids
	}
}

func decode(to []byte, digits string) bool {
	_, err := hex.Decode(to, []byte(digits))
	return err == nil
}
