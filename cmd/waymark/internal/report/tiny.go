package report

import (
	"fmt"

	"github.com/waymark-go/waymark/internal/units"
)

// tinyLine says how many functions that those of the rows call were left out because they are tiny,
// and how to see them; "" if none was.
func (r *Report) tinyLine(rows []*Row) string {
	first := ""
	names := make(map[string]bool)
	for _, row := range rows {
		for _, name := range row.Tiny {
			if first == "" {
				first = name
			}
			names[name] = true
		}
	}
	if first == "" {
		return ""
	}
	where := " (in self time)"
	if r.counted() {
		where = ""
	}
	return fmt.Sprintf("%s called by these left out%s: --all shows them, --include %s one",
		units.Things(uint64(len(names)), "tiny function"), where, first)
}
