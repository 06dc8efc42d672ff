package levels

import "github.com/waymark-go/waymark/tracefile"

// Identity returns what tells a recording from others, and from what it was before it was written to;
// "" if it may still change.
func Identity(file *tracefile.File) (string, error) { return identify(file) }
