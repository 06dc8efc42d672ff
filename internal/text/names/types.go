package names

import "strings"

// AddType adds the package of a type, or of the type that its elements or what it points to have.
func (s *Set) AddType(name string) {
	if _, named := splitType(name); named != "" {
		s.Add(named)
	}
}

// ShortType returns the short form of a type's name.
func (s *Set) ShortType(name string) string {
	of, named := splitType(name)
	if named == "" {
		return name
	}
	return of + s.Short(named)
}

// splitType takes a type's name apart: the pointers, arrays and slices, and the name of what they are
// of. The latter is empty if it has no name of its own.
func splitType(name string) (of, named string) {
	named = name
	for {
		switch {
		case strings.HasPrefix(named, "*"):
			named = named[1:]
		case strings.HasPrefix(named, "["):
			named = named[strings.IndexByte(named, ']')+1:]
		case strings.HasPrefix(named, "map["), strings.HasPrefix(named, "func("), strings.Contains(named, " "):
			return name, ""
		default:
			return name[:len(name)-len(named)], named
		}
	}
}
