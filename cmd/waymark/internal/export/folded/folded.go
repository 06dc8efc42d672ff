// Package folded writes folded stacks, which tools for flame graphs read: a line for each path of
// calls. The line has the names of functions from the outermost on, separated by semicolons.
// After a space it has the ns that the innermost function took itself.
package folded

import (
	"bufio"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/paths"
	"github.com/waymark-go/waymark/internal/text/names"
)

// Write writes a tree.
func Write(w io.Writer, t *paths.Tree) error {
	b := bufio.NewWriterSize(w, 1<<16)
	frames := make([]string, len(t.Functions))
	for i := range frames {
		frames[i] = names.Frame(t.Functions[i].Name)
	}
	t.Each(func(stack []int, n *paths.Node) {
		if n.Self == 0 {
			return
		}
		for i := len(stack) - 1; i >= 0; i-- {
			b.WriteString(frames[stack[i]])
			if i > 0 {
				b.WriteByte(';')
			}
		}
		b.WriteByte(' ')
		b.WriteString(strconv.FormatInt(n.Self, 10))
		b.WriteByte('\n')
	})
	return b.Flush()
}
