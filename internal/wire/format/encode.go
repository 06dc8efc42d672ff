package format

import "encoding/binary"

// An Encoder turns chunks of records into the payloads of Events blocks. The
// zero value is ready to use; a payload depends on nothing in earlier chunks.
type Encoder struct {
	// Tallies counts the calls in the chunks, by site. Append adds to it, and makes it longer as sites
	// appear; the caller may clear or replace it between chunks. nil: nobody wants to know. Tallies
	// take some 31 instructions an event: to count fewer chunks, set it to nil for the others.
	Tallies []Tally

	// Outliner makes an outline of each chunk, unless it is nil.
	Outliner *Outliner

	m     model
	at    []int32           // by depth: the record with which the call in m.stack began
	marks [callsAtOnce]mark // see follow
	open  openCalls         // of the chunk, for Tallies
}

// Append appends the payload for chunk h with its records to dst, and returns the number of events
// in it (enters, exits, panics, goroutine starts). It leaves out records that doc.go does not list,
// and an Origin without its Start: they would make the rest of the block unreadable.
func (e *Encoder) Append(dst []byte, h Chunk, recs []Record) (payload []byte, events int) {
	m, outliner := &e.m, e.Outliner
	if depth := len(recs) + 2; len(e.at) < depth {
		e.at, m.stack = make([]int32, depth), make([]frame, depth)
	}
	m.reset()
	if e.Tallies != nil {
		e.tally(recs)
	}
	if outliner != nil {
		outliner.begin(h, recs, e.at)
	}
	dst = binary.AppendUvarint(dst, uint64(h.Stream))
	dst = binary.AppendUvarint(dst, h.Seq)
	dst = binary.AppendUvarint(dst, h.Clock)
	dst = binary.AppendUvarint(dst, h.Goroutine)
	count := len(dst)
	dst = binary.AppendUvarint(dst, uint64(len(recs))) // for as many events as there can be
	rest := len(dst)
	dst = binary.AppendUvarint(dst, h.Lost)

	clock := h.Clock
	free := 0    // the first record that isn't part of values
	before := -1 // the latest record of an event
	for i := 0; i < len(recs); i++ {
		var next int
		if dst, clock, next = e.calls(dst, clock, recs, i); next > i {
			events += next - i
			i, before = next, next-1
			if i == len(recs) {
				break
			}
		}
		r := recs[i]
		call := r.isCall()
		if !call {
			switch r.code() {
			case codeNone, CodeOrigin:
				continue
			case CodeLong, CodeWaited, CodeLate, CodeMade:
				if outliner != nil {
					outliner.other(i, before, m.stack)
				}
				before = i
				switch r.code() {
				case CodeMade:
					dst, clock = appendMade(dst, clock, recs[i:])
				case CodeLong:
					var n int
					dst, clock, n = appendLong(dst, clock, recs[i:])
					events += n
				default:
					dst, clock = appendWaited(dst, clock, recs[i:])
				}
				i += r.valueRecords()
				free = i + 1
				continue
			case CodeSpawn: // outlines do without
				dst, clock = appendSpawn(dst, clock, r)
				continue
			case CodeValues, CodeInts:
				n := min(r.valueRecords(), len(recs)-1-i) // fewer are left if a kill cut them off
				if i > free && recs[i-1].mayHaveValues() {
					dst = appendValues(dst, r, recs[i+1:i+1+n])
				}
				i += n
				free = i + 1
				continue
			}
		}
		delta := r.Clock - clock
		if int64(delta) < 0 {
			dst, delta = appendSkew(dst, -delta), 0
		}
		clock = r.Clock
		site, token := uint32(r.Word>>SiteShift)&SiteMask, uint32(r.Word)
		f := frameOf(site, token)
		depth := len(m.stack)
		switch {
		case !call:
			if outliner != nil {
				outliner.other(i, before, m.stack)
			}
			if r.isEvent() {
				events++
			}
			before = i
			var n int
			dst, n = e.appendOther(dst, delta, recs[i:])
			i += n
			continue
		case r.Word&ExitBit != 0:
			if m.stack[depth-1] == f {
				if depth == 2 && outliner != nil {
					outliner.exit(i)
				}
				m.stack = m.stack[:depth-1]
				dst = appendTagged(dst, delta, tagExit)
			} else {
				if outliner != nil {
					outliner.exitOther(i, m.stack)
				}
				m.exit(site, token)
				dst = appendTagged(dst, delta, tagOther)
				dst = append(dst, CodeExit)
				dst = binary.AppendUvarint(dst, uint64(site))
				dst = binary.AppendUvarint(dst, uint64(token))
			}
			m.after(site, 1)
		default:
			p := predict(site, token-m.top())
			if outliner != nil {
				outliner.enter(i, m.stack, f)
			}
			if guess := &m.next[m.slot%predictions]; *guess == p {
				dst = appendTagged(dst, delta, tagPredicted)
			} else {
				*guess = p
				dst = appendTagged(dst, delta, tagEnter)
				dst = binary.AppendUvarint(dst, uint64(site))
				dst = binary.AppendVarint(dst, int64(int32(p.more())))
			}
			e.at[depth] = int32(i)
			m.stack = append(m.stack, f)
			m.after(site, 0)
		}
		events++
		before = i
	}
	if outliner != nil {
		outliner.leave(before, m.stack)
	}
	return putCount(dst, count, rest, events), events
}

// putCount puts the number of events at dst[at:], and moves what is from rest on if there is too much
// room.
func putCount(dst []byte, at, rest, events int) []byte {
	var b [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(b[:], uint64(events))
	copy(dst[at:], b[:n])
	if at+n < rest {
		dst = append(dst[:at+n], dst[rest:]...)
	}
	return dst
}

// appendSkew appends that the clock went back by so many ticks: counters of different CPUs may
// disagree.
func appendSkew(dst []byte, back uint64) []byte {
	return binary.AppendUvarint(append(dst, tagOther, CodeSkew), back)
}

// appendLong appends recs[0], which is of code Long, unless what belongs to it is missing. It
// returns the clock that the next record's delta counts from, and the number of events.
func appendLong(dst []byte, clock uint64, recs []Record) ([]byte, uint64, int) {
	site, ticks, ok := longCall(recs)
	if !ok {
		return dst, clock, 0
	}
	delta := recs[0].Clock - clock
	if int64(delta) < 0 {
		dst, delta = appendSkew(dst, -delta), 0
	}
	var b [3 * binary.MaxVarintLen64]byte
	rest := binary.AppendUvarint(b[:0], uint64(site))
	rest = binary.AppendUvarint(rest, uint64(uint32(recs[0].Word)))
	rest = binary.AppendUvarint(rest, ticks)
	dst = append(appendTagged(dst, delta, tagOther), CodeLong, byte(len(rest)))
	return append(dst, rest...), recs[0].Clock, 1
}

// longCall returns what the record behind recs[0], which is of code Long, says of the call. It is
// not ok if that record is missing, because a kill cut it off, or nothing that a program writes.
func longCall(recs []Record) (site uint32, ticks uint64, ok bool) {
	if len(recs) < 2 || recs[1].Clock-1 >= FirstCode-1 {
		return 0, 0, false
	}
	return uint32(recs[1].Clock), recs[1].Word, true
}

// appendSpawn appends a record of code Spawn, and returns the clock that the next record's delta counts
// from.
func appendSpawn(dst []byte, clock uint64, r Record) ([]byte, uint64) {
	delta := r.Clock - clock
	if int64(delta) < 0 {
		dst, delta = appendSkew(dst, -delta), 0
	}
	var b [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(b[:], r.Word&ValueMask)
	dst = append(appendTagged(dst, delta, tagOther), CodeSpawn, byte(n))
	return append(dst, b[:n]...), r.Clock
}

// appendOther appends recs[0], which isn't an enter or exit, and returns how many further records
// it took.
func (e *Encoder) appendOther(dst []byte, delta uint64, recs []Record) ([]byte, int) {
	r := recs[0]
	code, value := r.code(), r.Word&ValueMask
	dst = appendTagged(dst, delta, tagOther)
	dst = append(dst, byte(code))
	switch code {
	case CodeStart:
		dst = binary.AppendUvarint(dst, value)
		if len(recs) > 1 && recs[1].code() == CodeOrigin {
			return binary.AppendUvarint(dst, recs[1].Word&ValueMask), 1
		}
		return append(dst, 0), 0
	case CodeInfo, CodeError:
		var site [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(site[:], value&SiteMask)
		dst = append(append(dst, byte(n)), site[:n]...)
	case CodeParked:
		dst = append(dst, 1, byte(value)&(1<<WakerShift-1))
	case CodeEnd:
		e.m.goroutine()
	case CodeGo:
		e.m.goroutine()
		dst = binary.AppendUvarint(dst, value)
	default: // panic, recover, goexit
		if code == CodeRecover {
			e.m.unwind(uint32(value))
		}
		dst = binary.AppendUvarint(dst, value)
	}
	return dst, 0
}

// isEvent reports whether the record, which is no call and takes no others, counts as an event.
func (r Record) isEvent() bool {
	switch r.code() {
	case CodeStart, CodePanic, CodeRecover, CodeGoexit, CodeInfo, CodeError:
		return true
	}
	return false
}

// mayHaveValues reports whether values behind the record belong to it.
func (r Record) mayHaveValues() bool {
	return r.isCall() || r.code() == CodePanic || r.code() == CodeInfo
}

// appendValues appends what recs hold, by r, as the values of the event before.
func appendValues(dst []byte, r Record, recs []Record) []byte {
	if r.code() == CodeInts {
		return appendInts(dst, r.Word&ValueMask, recs)
	}
	n := min(r.Word&ValueMask, uint64(len(recs))*RecordSize)
	dst = append(dst, tagOther, CodeValues)
	dst = binary.AppendUvarint(dst, n)
	end := len(dst) + int(n)
	for _, r := range recs {
		dst = binary.LittleEndian.AppendUint64(dst, r.Clock)
		dst = binary.LittleEndian.AppendUint64(dst, r.Word)
	}
	return dst[:end]
}

// Fields of the value of a record of code Ints: the number of values, then their kinds.
const (
	intsBits = 3
	kindBits = 5
	maxInts  = 4
)

// appendInts appends integers as the values of the event before.
func appendInts(dst []byte, kinds uint64, recs []Record) []byte {
	var b [maxInts * (1 + binary.MaxVarintLen64)]byte
	values := b[:0]
	n := min(int(kinds&(1<<intsBits-1)), maxInts, 2*len(recs))
	for i := 0; i < n; i++ {
		kind := TypeKind(kinds >> (intsBits + kindBits*i) & (1<<kindBits - 1))
		v := recs[i/2].Clock
		if i%2 == 1 {
			v = recs[i/2].Word
		}
		switch kind {
		case KindInt, KindInt8, KindInt16, KindInt32, KindInt64:
			values = binary.AppendVarint(append(values, byte(kind)), int64(v))
		case KindUint8:
			values = append(values, byte(kind), byte(v))
		case KindUint, KindUint16, KindUint32, KindUint64, KindUintptr:
			values = binary.AppendUvarint(append(values, byte(kind)), v)
		default:
			values = append(values, TypeUnread) // nothing that a program writes
		}
	}
	dst = append(dst, tagOther, CodeValues, byte(len(values)))
	return append(dst, values...)
}

// What code returns for an enter or exit, and for a word that is nothing a
// program writes.
const (
	codeCall = 0
	codeNone = 0xFF
)

// isCall reports whether the record is of an enter or an exit, as most are.
func (r Record) isCall() bool { return uint32(r.Word>>SiteShift)&SiteMask-1 < FirstCode-1 }

// code returns the record's code.
func (r Record) code() uint32 {
	if r.isCall() {
		return codeCall
	}
	switch code := uint32(r.Word >> CodeShift); code &^ 0xFF {
	case FirstCode >> 16:
		switch code &= 0xFF; code {
		case CodeGo, CodeStart, CodeEnd, CodePanic, CodeRecover, CodeGoexit, CodeValues, CodeOrigin, CodeInts, CodeInfo, CodeError, CodeLong, CodeParked, CodeWaited, CodeLate, CodeMade, CodeSpawn:
			return code
		}
	}
	return codeNone
}

// valueRecords returns how many records after r belong to it: values, or what a Long or a wait says.
func (r Record) valueRecords() int {
	switch r.code() {
	case CodeInts:
		return (int(r.Word&(1<<intsBits-1)) + 1) / 2
	case CodeLong, CodeWaited, CodeMade:
		return 1
	case CodeLate:
		return 2
	}
	return int(min(r.Word&ValueMask, ChunkSize)+RecordSize-1) / RecordSize
}

// appendTagged appends delta<<2|tag as a uvarint. Two bytes reach 2 us at 2 GHz:
// that case is written out, the loop is for the rest.
func appendTagged(dst []byte, delta uint64, tag uint64) []byte {
	v := delta<<tagBits | tag
	if v < 1<<7 {
		return append(dst, byte(v))
	}
	if v < 1<<14 {
		return append(dst, byte(v)|0x80, byte(v>>7))
	}
	return binary.AppendUvarint(dst, v)
}
