package replay

import (
	"fmt"
	"strings"
)

// Note prints text that a goroutine has to say at this point, each line as a comment,
// within the call that has depth callers.
func (p *Printer) Note(goroutine uint64, depth int, text string) {
	p.pending[goroutine] = p.open(goroutine, p.drop(goroutine, depth))
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(p.w, "%11s [%9d]  %s// %s\n", "", goroutine, strings.Repeat("  ", depth), line)
	}
}
