package format

import "encoding/binary"

// appendBodies appends where the sites' bodies are, if that is known of some. Behind a //line directive
// without a column there are no columns: what is left is the line of the site, which is there anyway.
func appendBodies(dst []byte, sites []Site) []byte {
	known := false
	for _, s := range sites {
		known = known || s.Body.Column > 0
	}
	if !known {
		return dst
	}
	for _, s := range sites {
		b := s.Body
		if b.Column == 0 {
			dst = binary.AppendUvarint(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(b.Column))
		dst = binary.AppendVarint(dst, int64(b.Line-s.Line))
		dst = binary.AppendVarint(dst, int64(b.EndLine-b.Line))
		dst = binary.AppendUvarint(dst, uint64(b.EndColumn))
	}
	return dst
}

// bodies reads them, if they are there: tables of older commands haven't.
func (c *cursor) bodies(sites []Site) {
	if len(c.b) == 0 || c.err != nil {
		return
	}
	for i := range sites {
		column := c.uvarint()
		if column == 0 {
			continue
		}
		line := sites[i].Line + int(c.varint())
		end := line + int(c.varint())
		sites[i].Body = Extent{line, int(column), end, int(c.uvarint())}
	}
}
