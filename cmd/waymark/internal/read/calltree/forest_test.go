package calltree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// marks show how a call ended.
func (f Flags) marks() string {
	var b strings.Builder
	for i, c := range "!rg~?e" {
		if f&(1<<i) != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// A forest collects finished calls and prints them as a tree: (A(B!)) is a call
// of A that called B, which panicked. The marks are ! panicked, r recovered,
// g Goexit, ~ open, ? cut and e an error.
type forest struct{ level []string }

func (f *forest) add(c *Call) {
	for len(f.level) < c.Depth+2 {
		f.level = append(f.level, "")
	}
	f.level[c.Depth] += fmt.Sprintf("(%c%s%s)", 'A'+c.Site-1, f.level[c.Depth+1], c.Flags.marks())
	f.level[c.Depth+1] = ""
}

func (f *forest) String() string {
	if len(f.level) == 0 {
		return ""
	}
	return f.level[0]
}

// build returns the calls of the events as text, and the result.
func build(t testing.TB, text string, o Options) (string, *Result) {
	t.Helper()
	var f forest
	o.OnCall = f.add
	b := New(o)
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		b.Add(&ev)
	}
	r := b.Close(0)
	return f.String(), r
}
