package gate

import (
	"bufio"
	"fmt"
	"io"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// mostTests is how many tests are named for each function.
const mostTests = 3

// Report writes a line for each function and test whose numbers differ. Of a function that differs
// in many tests it names the first ones.
func Report(w io.Writer, list []Difference) error {
	short := names.NewSet()
	for _, d := range list {
		short.Add(d.Function)
	}
	type key struct{ function, what string }
	more := make(map[key]uint64)
	for _, d := range list {
		more[key{d.Function, d.What}]++
	}
	said := make(map[key]uint64)
	b := bufio.NewWriter(w)
	for _, d := range list {
		k := key{d.Function, d.What}
		said[k]++
		if said[k] > mostTests {
			continue
		}
		fmt.Fprintf(b, "  %s: %s in %s, %s before", short.Short(d.Function), units.Things(uint64(d.Is), d.What[:len(d.What)-1]), d.Test, units.Count(uint64(d.Was)))
		if said[k] == mostTests && more[k] > mostTests {
			fmt.Fprintf(b, "; and in %s", units.Things(more[k]-mostTests, "more test"))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// String returns the test with its package.
func (t Test) String() string { return t.Package + "." + t.Name }
