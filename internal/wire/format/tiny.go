package format

import (
	"encoding/binary"

	"github.com/waymark-go/waymark/internal/text/names"
)

// TinyNames returns the functions in Tiny with their package, as runtime.FuncForPC does.
func (s *Site) TinyNames() (list []string) {
	pkg, _ := names.Split(s.Name)
	for _, name := range s.Tiny {
		list = append(list, pkg+"."+name)
	}
	return list
}

// appendTiny appends which tiny functions run as part of the sites' calls, if some do.
func appendTiny(dst []byte, sites []Site) []byte {
	index := make(map[string]int)
	var list []string
	callers := 0
	for _, s := range sites {
		for _, name := range s.Tiny {
			if _, ok := index[name]; !ok {
				index[name] = len(list)
				list = append(list, name)
			}
		}
		if len(s.Tiny) > 0 {
			callers++
		}
	}
	if callers == 0 {
		return dst
	}
	dst = appendStrings(dst, list)
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
	tiny := c.strings()
	for n := c.count(2); n > 0 && c.err == nil; n-- {
		i := c.uvarint()
		if i >= uint64(len(sites)) {
			c.fail("bad index of a site")
			return
		}
		var list []string
		for m := c.count(1); m > 0 && c.err == nil; m-- {
			j := c.uvarint()
			if j >= uint64(len(tiny)) {
				c.fail("bad index of a tiny function")
				return
			}
			list = append(list, tiny[j])
		}
		sites[i].Tiny = list
	}
}
