package format

import "encoding/binary"

// A predictor guesses the next enter of a stream from its previous enter or
// exit: calls in a program follow each other in few ways, so one remembered
// successor is right for most, and the event shrinks to its time. Encoder and
// decoder run the same one. Two contexts that collide cost bytes, not correctness.
type predictor struct {
	next [predictions]prediction
	slot uint32
}

type prediction struct {
	site  uint32
	delta int32 // token minus that of the calling frame
}

const predictions = 1024 // 8 KB: cleared for each block, and at home in the first-level cache

// after makes an enter (exit 0) or exit (1) of site the context of the next guess.
func (p *predictor) after(site, exit uint32) {
	p.slot = contextOf(site, exit)
}

// contextOf returns the number of a context in the table.
func contextOf(site, exit uint32) uint32 { return (site*2 + exit) * 0x9E3779B1 >> 22 % predictions }

// A frame is an open call that was entered in the block.
type frame struct{ site, token uint32 }

// model is the state that encoder and decoder share.
type model struct {
	predictor
	stack []frame
}

func (m *model) reset() {
	m.next = [predictions]prediction{}
	m.goroutine()
}

// goroutine forgets the stack: another goroutine runs.
func (m *model) goroutine() {
	m.stack = m.stack[:0]
	m.slot = 0
}

// top returns the token of the innermost call, the base that enters count from.
func (m *model) top() uint32 {
	if n := len(m.stack); n > 0 {
		return m.stack[n-1].token
	}
	return 0
}

// unwind removes the frames with tokens greater than token: they are gone.
func (m *model) unwind(token uint32) {
	n := len(m.stack)
	for n > 0 && m.stack[n-1].token > token {
		n--
	}
	m.stack = m.stack[:n]
}

// exit removes the frame of site with token and those above it. Inlining may
// give a caller and its callee the same token, so the site decides among equals.
func (m *model) exit(site, token uint32) {
	m.unwind(token)
	for n := len(m.stack); n > 0 && m.stack[n-1].token == token; n-- {
		if m.stack[n-1].site == site {
			m.stack = m.stack[:n-1]
			return
		}
	}
}

// Tags of records in Events blocks.
const (
	tagExit = iota
	tagPredicted
	tagEnter
	tagOther
	tagBits = 2
)

// An Encoder turns chunks of records into the payloads of Events blocks. The
// zero value is ready to use; a payload depends on nothing in earlier chunks.
type Encoder struct {
	// Tallies counts the calls in the chunks, by site. Append adds to it, and makes it longer as sites
	// appear; the caller may clear or replace it between chunks. nil: nobody wants to know. Tallies
	// take some 18 instructions an event: to count fewer chunks, set it to nil for the others.
	Tallies []Tally

	// Outliner makes an outline of each chunk, unless it is nil.
	Outliner *Outliner

	m    model
	open openCalls // of the chunk, for Tallies
}

// Append appends the payload for chunk h with its records to dst, and returns the number of events
// in it (enters, exits, panics, goroutine starts). It leaves out records that doc.go does not list,
// and an Origin without its Start: they would make the rest of the block unreadable.
func (e *Encoder) Append(dst []byte, h Chunk, recs []Record) (payload []byte, events int) {
	m := &e.m
	m.reset()
	if e.Tallies == nil {
		events = count(recs)
	} else {
		events = e.tally(recs)
	}
	dst = binary.AppendUvarint(dst, uint64(h.Stream))
	dst = binary.AppendUvarint(dst, h.Seq)
	dst = binary.AppendUvarint(dst, h.Clock)
	dst = binary.AppendUvarint(dst, h.Goroutine)
	dst = binary.AppendUvarint(dst, uint64(events))
	dst = binary.AppendUvarint(dst, h.Lost)

	outliner := e.Outliner
	if outliner != nil {
		outliner.begin(h, recs)
	}
	clock := h.Clock
	free := 0    // the first record that isn't part of values
	before := -1 // the latest record of an event
	for i := 0; i < len(recs); i++ {
		r := recs[i]
		call := r.isCall()
		if !call {
			switch r.code() {
			case codeNone, CodeOrigin:
				continue
			case CodeLong:
				if outliner != nil {
					outliner.other(i, before, m.stack)
				}
				before = i
				dst, clock = appendLong(dst, clock, recs[i:])
				i++
				free = i + 1
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
		switch {
		case !call:
			if outliner != nil {
				outliner.other(i, before, m.stack)
			}
			before = i
			var n int
			dst, n = e.appendOther(dst, delta, recs[i:])
			i += n
		case r.Word&ExitBit != 0:
			before = i
			if n := len(m.stack); n > 0 && m.stack[n-1] == (frame{site, token}) {
				if n == 1 && outliner != nil {
					outliner.exit(i)
				}
				m.stack = m.stack[:n-1]
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
			before = i
			p := prediction{site, int32(token - m.top())}
			if outliner != nil {
				n := len(m.stack)
				if outliner.at[n] = int32(i); n == 0 || p.delta <= 0 {
					outliner.enter(i, m.stack, frame{site, token})
				}
			}
			if guess := &m.next[m.slot]; *guess == p {
				dst = appendTagged(dst, delta, tagPredicted)
			} else {
				*guess = p
				dst = appendTagged(dst, delta, tagEnter)
				dst = binary.AppendUvarint(dst, uint64(site))
				dst = binary.AppendVarint(dst, int64(p.delta))
			}
			m.stack = append(m.stack, frame{site, token})
			m.after(site, 0)
		}
	}
	if outliner != nil {
		outliner.leave(before, m.stack)
	}
	return dst, events
}

// count returns the number of events that records stand for.
func count(recs []Record) (events int) {
	for i := 0; i < len(recs); i++ {
		if recs[i].isCall() {
			events++
			continue
		}
		n, more := countOther(recs[i:])
		events += n
		i += more
	}
	return events
}

// countOther returns whether recs[0], which isn't an enter or exit, counts as an event, and how
// many further records belong to it.
func countOther(recs []Record) (events, more int) {
	switch recs[0].code() {
	case CodeStart, CodePanic, CodeRecover, CodeGoexit, CodeInfo, CodeError:
		return 1, 0
	case CodeLong:
		if _, _, ok := longCall(recs); ok {
			events = 1
		}
		return events, 1
	case CodeValues, CodeInts:
		return 0, recs[0].valueRecords()
	}
	return 0, 0
}

// appendSkew appends that the clock went back by so many ticks: counters of different CPUs may
// disagree.
func appendSkew(dst []byte, back uint64) []byte {
	return binary.AppendUvarint(append(dst, tagOther, CodeSkew), back)
}

// appendLong appends recs[0], which is of code Long, unless what belongs to it is missing. It
// returns the clock that the next record's delta counts from.
func appendLong(dst []byte, clock uint64, recs []Record) ([]byte, uint64) {
	site, ticks, ok := longCall(recs)
	if !ok {
		return dst, clock
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
	return append(dst, rest...), recs[0].Clock
}

// longCall returns what the record behind recs[0], which is of code Long, says of the call. It is
// not ok if that record is missing, because a kill cut it off, or nothing that a program writes.
func longCall(recs []Record) (site uint32, ticks uint64, ok bool) {
	if len(recs) < 2 || recs[1].Clock-1 >= FirstCode-1 {
		return 0, 0, false
	}
	return uint32(recs[1].Clock), recs[1].Word, true
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
		case CodeGo, CodeStart, CodeEnd, CodePanic, CodeRecover, CodeGoexit, CodeValues, CodeOrigin, CodeInts, CodeInfo, CodeError, CodeLong:
			return code
		}
	}
	return codeNone
}

// valueRecords returns how many records after r belong to it: values, or what a Long says.
func (r Record) valueRecords() int {
	switch r.code() {
	case CodeInts:
		return (int(r.Word&(1<<intsBits-1)) + 1) / 2
	case CodeLong:
		return 1
	}
	return int(min(r.Word&ValueMask, ChunkSize)+RecordSize-1) / RecordSize
}

// valueBytes returns how many bytes of values r, with the records behind it, holds.
func (r Record) valueBytes(rest []Record) uint64 {
	n := r.Word & ValueMask
	if r.code() == CodeInts {
		n = 8 * (n & (1<<intsBits - 1))
	}
	return min(n, uint64(len(rest))*RecordSize)
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
