package replay

import (
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/internal/text/table"
)

// Open prints the first lines of the calls that a goroutine is in, before their callees are known.
func (p *Printer) Open(goroutine uint64) {
	if list := p.pending[goroutine]; len(list) > 0 {
		p.pending[goroutine] = p.open(goroutine, list)
	}
}

// Note prints the text of a goroutine at this point, each line as a comment, within the call that
// has depth callers.
func (p *Printer) Note(goroutine uint64, depth int, text string) {
	p.pending[goroutine] = p.open(goroutine, p.drop(goroutine, depth))
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		var b []byte
		if p.at != nil {
			b = fmt.Appendf(b, "%*s", timeWidth, "")
		}
		b = fmt.Appendf(b, "%11s [%9d]  %s// %s", "", goroutine, table.Indent(depth), line)
		p.w.Write(append(p.opt.cut(b, ""), '\n'))
	}
}
