package report

import (
	"fmt"

	"github.com/waymark-go/waymark/internal/text/units"
)

// tinyLine returns a line about how many callees of the rows' functions were left out because they
// are tiny, and how to see them. It returns "" if none was left out.
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
	first = r.names.Short(first) // patterns take it so
	where := " (in self time)"
	if r.counted() {
		where = ""
	}
	how := fmt.Sprintf("--all shows them, --include %s one", first)
	if len(names) == 1 {
		how = fmt.Sprintf("--all or --include %s shows it", first)
	}
	return fmt.Sprintf("%s called by these left out%s: %s", units.Things(uint64(len(names)), "tiny function"), where, how)
}
