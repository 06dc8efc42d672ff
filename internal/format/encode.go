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
// exit reports whether there was the frame, at which depth the stack then ends.
func (m *model) exit(site, token uint32) bool {
	m.unwind(token)
	for n := len(m.stack); n > 0 && m.stack[n-1].token == token; n-- {
		if m.stack[n-1].site == site {
			m.stack = m.stack[:n-1]
			return true
		}
	}
	return false
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
	// appear; the caller may clear or replace it between chunks. nil: nobody wants to know.
	Tallies []Tally

	// Outliner makes an outline of each chunk, unless it is nil.
	Outliner *Outliner

	m      model
	begins []uint64 // clocks at which the calls in m.stack began, only kept with Tallies
}

// Append appends the payload for chunk h with its records to dst, and returns the number of events
// in it (enters, exits, panics, goroutine starts). It leaves out records that doc.go does not list,
// and an Origin without its Start: they would make the rest of the block unreadable.
func (e *Encoder) Append(dst []byte, h Chunk, recs []Record) (payload []byte, events int) {
	m := &e.m
	m.reset()
	for i := 0; i < len(recs); i++ {
		if recs[i].isCall() {
			events++
			continue
		}
		switch recs[i].code() {
		case CodeStart, CodePanic, CodeRecover, CodeGoexit, CodeInfo, CodeError:
			events++
		case CodeLong:
			if _, _, ok := longCall(recs[i:]); ok {
				events++
			}
			i++
		case CodeValues, CodeInts:
			i += recs[i].valueRecords()
		}
	}
	dst = binary.AppendUvarint(dst, uint64(h.Stream))
	dst = binary.AppendUvarint(dst, h.Seq)
	dst = binary.AppendUvarint(dst, h.Clock)
	dst = binary.AppendUvarint(dst, h.Goroutine)
	dst = binary.AppendUvarint(dst, uint64(events))
	dst = binary.AppendUvarint(dst, h.Lost)

	tallies, begins, outliner := e.Tallies, e.begins, e.Outliner
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
			case CodeValues, CodeInts:
				n := min(r.valueRecords(), len(recs)-1-i) // fewer are left if a kill cut them off
				if i > free && recs[i-1].mayHaveValues() {
					before := len(dst)
					dst = appendValues(dst, r, recs[i+1:i+1+n])
					if site := recs[i-1].site(); recs[i-1].isCall() && int(site) < len(tallies) {
						tallies[site].ValueBytes += uint64(len(dst) - before)
					}
				}
				i += n
				free = i + 1
				continue
			case CodeLong:
				if _, _, ok := longCall(recs[i:]); !ok {
					i++
					free = i + 1
					continue
				}
			}
		}
		delta := r.Clock - clock
		if int64(delta) < 0 {
			// Counters of different CPUs may disagree by a few ticks.
			dst = append(dst, tagOther, CodeSkew)
			dst = binary.AppendUvarint(dst, -delta)
			delta = 0
		}
		clock = r.Clock
		site, token := r.site(), uint32(r.Word)
		switch {
		case !call:
			if outliner != nil {
				outliner.other(i, before, m.stack)
			}
			before = i
			var n int
			dst, n = e.appendOther(dst, delta, recs[i:])
			if i += n; n > 0 {
				free = i + 1
			}
		case r.Word&ExitBit != 0:
			before = i
			if n := len(m.stack); n > 0 && m.stack[n-1] == (frame{site, token}) {
				if n == 1 && outliner != nil {
					outliner.exit(i)
				}
				m.stack = m.stack[:n-1]
				dst = appendTagged(dst, delta, tagExit)
				if int(site) < len(tallies) && n <= len(begins) {
					tallies[site].close(r.Clock - begins[n-1])
				}
			} else {
				if outliner != nil {
					outliner.exitOther(i, m.stack)
				}
				if m.exit(site, token) && int(site) < len(tallies) && len(m.stack) < len(begins) {
					tallies[site].close(r.Clock - begins[len(m.stack)])
				}
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
			if tallies != nil {
				if int(site) >= len(tallies) && e.grow(site) {
					tallies = e.Tallies
				}
				if int(site) < len(tallies) {
					tallies[site].Calls++
				}
				if n := len(m.stack); n < len(begins) {
					begins[n] = r.Clock
				} else {
					begins = append(begins, r.Clock)
				}
			}
			m.stack = append(m.stack, frame{site, token})
			m.after(site, 0)
		}
	}
	e.begins = begins
	if outliner != nil {
		outliner.leave(before, m.stack)
	}
	return dst, events
}

// appendOther appends recs[0], which isn't an enter or exit, and returns how many further records it
// took.
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
	case CodeLong:
		site, ticks, _ := longCall(recs)
		var b [3 * binary.MaxVarintLen64]byte
		rest := binary.AppendUvarint(b[:0], uint64(site))
		rest = binary.AppendUvarint(rest, uint64(uint32(value)))
		rest = binary.AppendUvarint(rest, ticks)
		return append(append(dst, byte(len(rest))), rest...), 1
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
func (r Record) isCall() bool { return r.site()-1 < FirstCode-1 }

// site returns the site of an enter or an exit.
func (r Record) site() uint32 { return uint32(r.Word>>SiteShift) & SiteMask }

// longCall returns what the record behind recs[0], which is of code Long, says of the call. It is not
// ok if that record is missing, because a kill cut it off, or nothing that a program writes.
func longCall(recs []Record) (site uint32, ticks uint64, ok bool) {
	if len(recs) < 2 || recs[1].Clock-1 >= FirstCode-1 {
		return 0, 0, false
	}
	return uint32(recs[1].Clock), recs[1].Word, true
}

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
