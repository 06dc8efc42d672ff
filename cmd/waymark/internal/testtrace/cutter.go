package testtrace

import (
	"bytes"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
)

// A cutter keeps the first lines that are written to it and the last ones: tests
// begin with what they set up, and end with what went wrong.
type cutter struct {
	limit int // of lines besides the heading; 0 is none

	head    [][]byte
	tail    [][]byte // a ring once it is full
	next    int      // where the next line goes in a full tail
	partial []byte
	total   uint64
}

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

// headShare is the part of the lines that are taken from the beginning: one in so many.
const headShare = 4

func (c *cutter) add(line []byte) {
	c.total++
	first := 1 + c.limit/headShare // with the heading
	switch {
	case c.limit == 0 || len(c.head) < first:
		c.head = append(c.head, line)
	case len(c.head)+len(c.tail) < 1+c.limit:
		c.tail = append(c.tail, line)
	default:
		c.tail[c.next] = line
		c.next = (c.next + 1) % len(c.tail)
	}
}

// left gives the number of lines that were left out.
func (c *cutter) left() uint64 { return c.total - uint64(len(c.head)+len(c.tail)) }

// writeTo writes the lines that were kept.
func (c *cutter) writeTo(w io.Writer) error {
	var b bytes.Buffer
	for _, line := range c.head {
		b.Write(line)
	}
	if n := c.left(); n > 0 {
		fmt.Fprintf(&b, "%26s... %s ...\n", "", report.Things(n, "line"))
	}
	for i := range c.tail {
		b.Write(c.tail[(c.next+i)%len(c.tail)])
	}
	_, err := w.Write(b.Bytes())
	return err
}
