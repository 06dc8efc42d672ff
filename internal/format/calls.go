package format

// roomOfCall is the most bytes that calls needs for a record.
const roomOfCall = 8

// calls appends records from number from on to dst as long as nearly all are of their kind: exits of
// innermost calls, and enters that the Outliner need not look at, at intervals of some ms at most. It
// calls no function, so that what it needs stays in registers. It returns the clock of the last record
// that it took, and the number of the next one.
func (e *Encoder) calls(dst []byte, clock uint64, recs []Record, from int) ([]byte, uint64, int) {
	m, o := &e.m, e.Outliner
	stack, open, slot := m.stack[:cap(m.stack)], uint(len(m.stack)), m.slot
	at := e.at[:len(stack)]
	roots, least := &noRoots, uint(1) // open calls that this leaves open
	if o != nil {
		if o.span {
			roots = &o.roots
		}
		if open > 1 && o.keeps(int(at[1])) {
			least = 2
		}
	}
	top := stack[open-1]
	buf, pos := dst[:cap(dst)], uint(len(dst))
	i := uint(from)
	for i < uint(len(recs)) && pos+roomOfCall <= uint(len(buf)) {
		r := &recs[i]
		word := frame(r.Word)
		v := r.Clock - clock
		if v >= 1<<(28-tagBits) {
			break
		}
		v <<= tagBits
		site := word.site()
		rest := uint64(0) // what follows in the record
		if site-1 < FirstCode-1 {
			next := contextOf(site, 0)
			if open >= uint(len(stack)) || word.token() <= top.token() || open == 1 && o != nil && roots[next%rootsKnown] != word {
				break
			}
			p := prediction(word - top&(1<<SiteShift-1))
			guess := &m.next[slot%predictions]
			if *guess == p {
				v |= tagPredicted
			} else {
				more := uint64(p.more()) << 1 // as a svarint
				if site >= 1<<14 || more >= 1<<14 {
					break
				}
				*guess = p
				v |= tagEnter
				rest = uint64(site)<<14 | more
			}
			stack[open], at[open] = word, int32(i)
			open++
			top, slot = word, next
		} else {
			if word != top|ExitBit || open <= least {
				break
			}
			open--
			top, slot = stack[open-1], contextOf(site, 1)
		}
		// Two bytes reach 2 us at 2 GHz. Which of two lengths it is can't be predicted, so there is no branch.
		if v < 1<<14 {
			pos = putShort(buf, pos, v)
		} else {
			four := (v + 1<<28 - 1<<21) >> 28
			b := buf[pos : pos+4]
			b[0], b[1], b[2], b[3] = byte(v)|0x80, byte(v>>7)|0x80, byte(v>>14&0x7F|four<<7), byte(v>>21)
			pos += 3 + uint(four)
		}
		if rest > 0 {
			pos = putShort(buf, pos, rest>>14)
			pos = putShort(buf, pos, rest&(1<<14-1))
		}
		clock = r.Clock
		i++
	}
	m.stack, m.slot = stack[:open], slot
	return buf[:pos], clock, int(i)
}

// putShort is binary.PutUvarint for v below 2^14.
func putShort(buf []byte, pos uint, v uint64) uint {
	two := (v + 1<<14 - 1<<7) >> 14
	b := buf[pos : pos+2]
	b[0], b[1] = byte(v&0x7F|two<<7), byte(v>>7)
	return pos + 1 + uint(two)
}
