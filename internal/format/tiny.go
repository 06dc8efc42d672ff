package format

import (
	"encoding/binary"
	"strings"
)

// Qualifier returns what comes before the function in a name as runtime.FuncForPC gives it: the
// package and a dot. Dots in the last element of a package's path are written as %2e there.
func Qualifier(name string) string {
	path, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(path, '/') + 1
	return name[:slash+strings.IndexByte(path[slash:], '.')+1]
}

// TinyNames returns the functions in Tiny with their package, as runtime.FuncForPC gives them.
func (s *Site) TinyNames() (names []string) {
	for _, name := range s.Tiny {
		names = append(names, Qualifier(s.Name)+name)
	}
	return names
}

// appendTiny appends which tiny functions run as part of the sites' calls, if some do.
func appendTiny(dst []byte, sites []Site) []byte {
	index := make(map[string]int)
	var names []string
	callers := 0
	for _, s := range sites {
		for _, name := range s.Tiny {
			if _, ok := index[name]; !ok {
				index[name] = len(names)
				names = append(names, name)
			}
		}
		if len(s.Tiny) > 0 {
			callers++
		}
	}
	if callers == 0 {
		return dst
	}
	dst = appendStrings(dst, names)
	dst = binary.AppendUvarint(dst, uint64(callers))
	for i, s := range sites {
		if len(s.Tiny) > 0 {
			dst = binary.AppendUvarint(dst, uint64(i))
			dst = binary.AppendUvarint(dst, uint64(len(s.Tiny)))
			for _, name := range s.Tiny {
				dst = binary.AppendUvarint(dst, uint64(index[name]))
			}
		}
	}
	return dst
}

// tiny reads it, if it is there.
func (c *cursor) tiny(sites []Site) {
	if len(c.b) == 0 || c.err != nil {
		return
	}
	names := c.strings()
	for n := c.count(2); n > 0 && c.err == nil; n-- {
		i := c.uvarint()
		if i >= uint64(len(sites)) {
			c.fail("bad index of a site")
			return
		}
		var list []string
		for m := c.count(1); m > 0 && c.err == nil; m-- {
			j := c.uvarint()
			if j >= uint64(len(names)) {
				c.fail("bad index of a tiny function")
				return
			}
			list = append(list, names[j])
		}
		sites[i].Tiny = list
	}
}
