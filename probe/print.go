package probe

import (
	"io"
	"sync"

	"github.com/waymark-go/waymark/internal/program/text"
)

// Print returns the factory of a sink that writes a line for each firing, in one Write:
//
//	MyProvider.finishProbe(42)
//
// Writes don't overlap. Errors of w are nobody's: a probe has no logical impact on the program.
// Arguments are printed as waymark.Text prints values.
func Print(w io.Writer) Factory {
	p := &printing{w: w}
	return one("Print", func(l *live) (sink, error) { return &printer{always{"Print", l}, p}, nil })
}

// printing is what the sinks of one factory share.
type printing struct {
	mu   sync.Mutex
	w    io.Writer
	line []byte
}

type printer struct {
	always
	to *printing
}

func (s *printer) fire(p *Probe, v *values) {
	args := p.any(v)
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	b := append(append(append(s.to.line[:0], p.live.name...), '.'), p.name...)
	b = append(text.AppendList(append(b, '('), args), ")\n"...)
	s.to.line = b
	s.to.w.Write(b)
}
