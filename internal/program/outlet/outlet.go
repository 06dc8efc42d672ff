// Package outlet is how the agent reaches package otlp, which few programs link.
//
// The agent is initialised first, and sets Wanted. Package otlp calls it when it is initialised.
package outlet

import (
	"time"

	"github.com/waymark-go/waymark/trace"
)

// Package is the import path of package otlp.
const Package = "github.com/waymark-go/waymark/otlp"

// A Sink is where kept traces go.
type Sink interface {
	// Add never blocks.
	Add(*trace.Trace)

	// End sends what waits, for so long at most. It returns what was left out; "" if nothing was.
	End(patience time.Duration) (leftOut string)
}

// A Starter starts the sink that sends to a URL, and says lines for users.
type Starter func(url string, say func(text string)) (Sink, error)

// Wanted takes the Starter. It is nil if nobody wants it.
var Wanted func(Starter)
