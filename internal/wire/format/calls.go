package format

import (
	"encoding/binary"
	"slices"
)

// callsAtOnce is how many records calls looks at before it writes them.
const callsAtOnce = 256

// calls appends records from number from on to dst, as long as they are of two kinds. These are
// exits of innermost calls, and enters that the Outliner need not look at. Nearly all records are
// such. It returns the clock of the last record that it took, and the number of the next one.
func (e *Encoder) calls(dst []byte, clock uint64, recs []Record, from int) ([]byte, uint64, int) {
	for {
		n := e.follow(recs[from:min(from+callsAtOnce, len(recs))], from)
		if n == 0 {
			return dst, clock, from
		}
		dst, clock = appendCalls(dst, clock, recs[from:from+n], e.marks[:n])
		if from += n; n < callsAtOnce {
			return dst, clock, from
		}
	}
}

// A mark is what the model says of an enter or exit. It holds the tag. Of an enter that was not
// predicted it holds what the token is greater by, from bit tagBits on.
type mark uint64

// follow has the model follow calls, puts what it says of them into e.marks, and returns their number. recs
// begin with number from. It calls no function, so that all it needs stays in registers.
func (e *Encoder) follow(recs []Record, from int) int {
	m, o := &e.m, e.Outliner
	stack, open, slot := m.stack[:cap(m.stack)], uint(len(m.stack)), m.slot
	at, marks := e.at[:len(stack)], e.marks[:len(recs)]
	// What is the outliner's: calls into outer frames, unless they are in roots, and exits that leave fewer
	// than least frames.
	roots, outer, least := &noRoots, uint(0), uint(1)
	if o != nil {
		outer = 1
		if o.span {
			roots = &o.roots
		}
		if open > 1 && o.keeps(int(at[1])) {
			least = 2
		}
	}
	top := stack[open-1]
	n := len(recs)
	for i := range recs {
		word := frame(recs[i].Word)
		site := word.site()
		if site-1 < FirstCode-1 {
			if open >= uint(len(stack)) || word.token() <= top.token() ||
				open == outer && roots[contextOf(site, 0)%rootsKnown] != word {
				n = i
				break
			}
			p := prediction(word - top&(1<<SiteShift-1))
			said := mark(tagPredicted)
			if guess := &m.next[slot%predictions]; *guess != p {
				*guess = p
				said = tagEnter | mark(p.more())<<tagBits
			}
			marks[i] = said
			stack[open], at[open] = word, int32(from+i)
			open++
			top, slot = word, contextOf(site, 0)
		} else {
			if word != top|ExitBit || open <= least {
				n = i
				break
			}
			open--
			marks[i] = tagExit
			top, slot = stack[open-1], contextOf(site, 1)
		}
	}
	m.stack, m.slot = stack[:open], slot
	return n
}

// appendCalls appends recs, of which the model says marks. It returns the clock of the last one.
func appendCalls(dst []byte, clock uint64, recs []Record, marks []mark) ([]byte, uint64) {
	for {
		dst = slices.Grow(dst, roomOfCall*len(recs))
		n, size := putCalls(dst[len(dst):cap(dst)], clock, recs, marks)
		dst = dst[:len(dst)+size]
		if n > 0 {
			clock = recs[n-1].Clock
		}
		if n == len(recs) {
			return dst, clock
		}
		r, said := recs[n], marks[n]
		recs, marks = recs[n+1:], marks[n+1:]
		delta := r.Clock - clock
		if int64(delta) < 0 {
			dst, delta = appendSkew(dst, -delta), 0
		}
		clock = r.Clock
		dst = appendTagged(dst, delta, uint64(said&(1<<tagBits-1)))
		if said&tagEnter != 0 {
			dst = binary.AppendUvarint(dst, uint64(frame(r.Word).site()))
			dst = binary.AppendVarint(dst, int64(int32(said>>tagBits)))
		}
	}
}

// roomOfCall is the most that putCalls puts into its buffer for a record, bytes.
const roomOfCall = 8

// putCalls puts recs into buf, which has room for all, up to one of uncommon length. It returns their
// number and size.
func putCalls(buf []byte, clock uint64, recs []Record, marks []mark) (n, size int) {
	marks = marks[:len(recs)]
	for i := range recs {
		delta, said := recs[i].Clock-clock, marks[i]
		if delta < 1<<(14-tagBits) && said <= tagPredicted { // up to 2 us at 2 GHz
			clock += delta
			size = putShort(buf, size, delta<<tagBits|uint64(said))
			continue
		}
		site, more := uint64(frame(recs[i].Word).site()), uint64(said>>tagBits)<<1 // a svarint
		if delta >= 1<<(28-tagBits) || said > tagPredicted && (site >= 1<<14 || more >= 1<<14) {
			return i, size
		}
		clock += delta
		v := delta<<tagBits | uint64(said)&(1<<tagBits-1)
		if v < 1<<14 {
			size = putShort(buf, size, v)
		} else {
			four := (v + 1<<28 - 1<<21) >> 28
			w := v&0x7F | v<<1&0x7F00 | v<<2&0x7F0000 | v<<3&0x7F000000 | 0x8080 | four<<23
			binary.LittleEndian.PutUint32(buf[size:size+4], uint32(w))
			size += 3 + int(four)
		}
		if said > tagPredicted {
			size = putShort(buf, putShort(buf, size, site), more)
		}
	}
	return len(recs), size
}

// putShort puts v, which is below 2^14, as a uvarint, and returns where it ends. Whether one byte is
// enough can't be predicted, so there is no branch.
func putShort(buf []byte, at int, v uint64) int {
	two := (v + 1<<14 - 1<<7) >> 14
	binary.LittleEndian.PutUint16(buf[at:at+2], uint16(v&0x7F|two<<7|v>>7<<8))
	return at + 1 + int(two)
}
