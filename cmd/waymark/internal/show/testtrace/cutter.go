package testtrace

import (
	"bytes"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/internal/text/units"
)

// A cutter keeps some of the lines that are written to it. It keeps the first
// ones, and those around a mark, which are the ones that matter. Without a mark
// it keeps the last ones instead.
type cutter struct {
	limit int // of lines besides the columns' names; 0 is none

	head    [][]byte
	tail    [][]byte // a ring once it is full
	next    int      // where the next line goes in a full tail
	cut     uint64   // lines left out between head and tail
	rest    [][]byte // after the mark
	after   uint64   // lines left out after rest
	marked  bool
	partial []byte
}

// Shares of the lines: one in so many.
const (
	headShare = 8 // for the beginning
	restShare = 8 // for what comes after the mark
)

// Write takes any part of the text.
func (c *cutter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			c.partial = append(c.partial, rest...)
			break
		}
		c.add(append(c.partial, rest[:i+1]...))
		c.partial, rest = nil, rest[i+1:]
	}
	return len(p), nil
}

// mark says that the lines that matter have been written.
func (c *cutter) mark() { c.marked = true }

func (c *cutter) add(line []byte) {
	head, rest := 1+c.limit/headShare, c.limit/restShare // head with the columns' names
	switch {
	case c.limit == 0 || len(c.head) < head && !c.marked:
		c.head = append(c.head, line)
	case c.marked && len(c.head)+len(c.tail)+len(c.rest) < 1+c.limit && (len(c.rest) < rest || c.cut == 0):
		c.rest = append(c.rest, line)
	case c.marked:
		c.after++
	case len(c.head)+len(c.tail) < 1+c.limit-rest:
		c.tail = append(c.tail, line)
	default:
		c.tail[c.next] = line
		c.next = (c.next + 1) % len(c.tail)
		c.cut++
	}
}

// left returns the number of lines that were left out.
func (c *cutter) left() uint64 { return c.cut + c.after }

// writeTo writes the lines that were kept.
func (c *cutter) writeTo(w io.Writer) error {
	var b bytes.Buffer
	gap := func(n uint64) {
		if n > 0 {
			fmt.Fprintf(&b, "%26s... %s ...\n", "", units.Things(n, "line"))
		}
	}
	for _, line := range c.head {
		b.Write(line)
	}
	gap(c.cut)
	for i := range c.tail {
		b.Write(c.tail[(c.next+i)%len(c.tail)])
	}
	for _, line := range c.rest {
		b.Write(line)
	}
	gap(c.after)
	_, err := w.Write(b.Bytes())
	return err
}
