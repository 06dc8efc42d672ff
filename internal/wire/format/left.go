package format

import (
	"encoding/binary"

	"github.com/waymark-go/waymark/internal/function"
)

// Left says which functions of a table's files are not among its sites.
type Left struct {
	Tiny     []string // names, without the package, of those that the compiler inlines
	Literals int      // function literals
	Unchosen int      // not included, excluded, or too small
	Unfit    int      // can't be instrumented
}

// Count returns how many functions are left out.
func (l *Left) Count() int { return len(l.Tiny) + l.Literals + l.Unchosen + l.Unfit }

// appendLeft appends what is left out, behind what appendTiny and appendBodies have appended for so
// many sites.
func appendLeft(dst []byte, l *Left, bodies bool, sites int) []byte {
	if l.Count() == 0 {
		return dst
	}
	if len(dst) == 0 {
		dst = append(dst, 0, 0) // no tiny functions, no callers
	}
	for ; !bodies && sites > 0; sites-- {
		dst = append(dst, 0)
	}
	dst = appendStrings(dst, l.Tiny)
	for _, n := range []int{l.Literals, l.Unchosen, l.Unfit} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// left reads it, if it is there: tables of older commands haven't.
func (c *cursor) left() (l Left) {
	if len(c.b) == 0 || c.err != nil {
		return l
	}
	l.Tiny = c.strings()
	for _, n := range []*int{&l.Literals, &l.Unchosen, &l.Unfit} {
		if *n = int(c.uvarint()); *n < 0 || *n > 1<<30 {
			c.fail("bad number of functions")
			*n = 0
		}
	}
	return l
}

// Of returns what is left out of a package, whose name is as in those of functions.
func (l *Left) Of(pkg string) function.LeftOut {
	out := function.LeftOut{Functions: l.Count(), Literals: l.Literals, Unchosen: l.Unchosen, Unfit: l.Unfit}
	for _, name := range l.Tiny {
		out.Tiny = append(out.Tiny, pkg+"."+name)
	}
	return out
}
