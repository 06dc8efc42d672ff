package tracefile

import "sync"

// outlines finds the outlines of blocks, which are in Outlines blocks. It keeps those that were read
// last: neighbours are asked for one after the other.
type outlines struct {
	at []extent

	mu     sync.Mutex
	latest [8]struct {
		index   uint32 // in at, plus 1
		payload []byte // nil if it is damaged
	}
	next int // in latest
}

// outline returns the outline of b, nil if it has none that is whole.
func (f *File) outline(b *block) []byte {
	if b.outlines == 0 {
		return nil
	}
	payload := f.outlines.read(f, b.outlines)
	if end := uint64(b.outline) + uint64(b.outlineLength); end <= uint64(len(payload)) {
		return payload[b.outline:end:end]
	}
	return nil
}

// read returns the payload of the Outlines block with the given index, plus 1.
func (o *outlines) read(f *File, index uint32) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.latest {
		if l := &o.latest[i]; l.index == index {
			return l.payload
		}
	}
	e := o.at[index-1]
	payload, _, err := f.readBlock(e.off, e.length, nil)
	if err != nil {
		payload = nil // whoever reads the blocks themselves meets the error, if it lasts
	}
	o.latest[o.next].index, o.latest[o.next].payload = index, payload
	o.next = (o.next + 1) % len(o.latest)
	return payload
}
