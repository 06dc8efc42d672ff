package pattern

import (
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// NoGroup says why a pattern @NAME names no function: which functions a built-in group wants, or which
// groups there are. names are those of the program's functions, see [Func.Names].
func NoGroup(text string, names []string) string {
	if r := format.FindRole(strings.TrimPrefix(text, "@")); r != nil {
		return "want " + r.Fits + ": none is instrumented; waymark build --closures adds function literals, --include adds packages"
	}
	var list []string
	for _, r := range format.Roles {
		list = append(list, "@"+r.Name)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "@") && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return "no function of a group " + text + " was instrumented; there are " + strings.Join(list, ", ")
}

// role reports whether p names a built-in group.
func (p *Pattern) role() bool { return format.FindRole(p.group) != nil }

// HasRoles reports whether some patterns name built-in groups. Functions of every package may be in
// these.
func (s *Set) HasRoles() bool { return slices.ContainsFunc(s.patterns, (*Pattern).role) }
