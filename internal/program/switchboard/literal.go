package switchboard

import "strings"

// standsIn reports whether a function literal stands in a function, by their names. One ends as in
// F.func1, F.func1.2 and F-range1; where F was inlined into G, it is G.F.func1.
func standsIn(literal, function string) bool {
	_, local, _ := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	for outer := literal; ; {
		name := strings.TrimRight(outer, "0123456789")
		cut := name
		for _, ending := range []string{".func", "-range", "."} {
			if cut = strings.TrimSuffix(name, ending); cut != name {
				break
			}
		}
		if len(name) == len(outer) || len(cut) == len(name) {
			return false
		}
		if outer = cut; outer == function || strings.HasSuffix(outer, "."+local) {
			return true
		}
	}
}
