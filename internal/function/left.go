package function

import (
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/text/units"
)

// A LeftOut says how many functions of a program's packages are not instrumented, and why. Packages of
// which no function is instrumented are not in it.
type LeftOut struct {
	Functions int      `json:"functions"`          // all of these
	Tiny      []string `json:"tiny,omitempty"`     // names of those that the compiler inlines, sorted
	Literals  int      `json:"literals,omitempty"` // function literals
	Unchosen  int      `json:"unchosen,omitempty"` // not included, excluded, or too small
	Unfit     int      `json:"unfit,omitempty"`    // can't be instrumented
}

// Add adds functions of other packages.
func (l *LeftOut) Add(o LeftOut) {
	l.Functions += o.Functions
	l.Literals, l.Unchosen, l.Unfit = l.Literals+o.Literals, l.Unchosen+o.Unchosen, l.Unfit+o.Unfit
	l.Tiny = append(l.Tiny, o.Tiny...)
	slices.Sort(l.Tiny)
	twice := len(l.Tiny)
	l.Tiny = slices.Compact(l.Tiny)
	l.Functions -= twice - len(l.Tiny) // a package that was compiled again for tests
}

// String returns how many functions are left out, why, and how to get them; "" if there are none but
// those that can't be instrumented.
func (l LeftOut) String() string {
	var why []string
	add := func(n int, what, how string) {
		if n > 0 {
			why = append(why, fmt.Sprintf("%s %s (%s)", units.Count(uint64(n)), what, how))
		}
	}
	add(len(l.Tiny), "tiny", "--all adds them")
	add(l.Literals, "function literals", "--closures")
	add(l.Unchosen, "not chosen", "--include, --exclude, --min-size")
	if len(why) == 0 {
		return ""
	}
	add(l.Unfit, "that can't be instrumented", "assembly and the like")
	return fmt.Sprintf("not instrumented: %s of the same packages: %s; other packages: --include PATTERN", units.Things(uint64(l.Functions), "function"), strings.Join(why, ", "))
}
