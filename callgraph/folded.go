package callgraph

import (
	"bufio"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/internal/text/names"
)

// WriteFolded writes folded stacks, which tools for flame graphs read. Each node that has time of
// its own gets a line. The line holds the names from the root on, separated by semicolons, a
// space, and the nanoseconds that were not spent in children.
//
//	main.serve;store.Find 1500000
func (t *Tree) WriteFolded(w io.Writer) error {
	b := bufio.NewWriter(w)
	t.Walk(func(path []*Node) {
		self, list := path[len(path)-1].Self(), functions(path)
		if self == 0 || len(list) == 0 {
			return
		}
		for i, n := range list {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(names.Frame(n.Func.Name))
		}
		fmt.Fprintf(b, " %d\n", self)
	})
	return b.Flush()
}
