package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// meaning returns the events that a chunk's records stand for, one by one: the
// naive counterpart of Encoder and Decoder.
func meaning(h Chunk, recs []Record) (events []Event) {
	goroutine := h.Goroutine
	valued := false
	for i := 0; i < len(recs); i++ {
		r := recs[i]
		value := r.Word & ValueMask
		ev := Event{Clock: r.Clock, Stream: h.Stream}
		mayHave := valued // the record directly before is one that can have values
		valued = r.Word>>SiteShift&SiteMask != 0 && r.Word>>SiteShift&SiteMask < FirstCode || r.Word>>CodeShift == 0x7F00|CodePanic || r.Word>>CodeShift == 0x7F00|CodeInfo
		switch code := r.Word >> CodeShift; {
		case r.Word>>SiteShift&SiteMask == 0:
			continue
		case r.Word>>SiteShift&SiteMask < FirstCode:
			ev.Site, ev.Token = uint32(r.Word>>SiteShift)&SiteMask, uint32(r.Word)
			if r.Word&ExitBit != 0 {
				ev.Kind = Exit
			}
		case code == 0x7F00|CodeGo:
			ev.Kind, goroutine = Go, value
		case code == 0x7F00|CodeStart:
			ev.Kind, ev.Value = Start, value
			if i+1 < len(recs) && recs[i+1].Word>>CodeShift == 0x7F00|CodeOrigin {
				ev.Origin = uint32(recs[i+1].Word & ValueMask)
				i++
			}
		case code == 0x7F00|CodeEnd:
			ev.Kind = End
		case code == 0x7F00|CodePanic:
			ev.Kind, ev.Token = Panic, uint32(value)
		case code == 0x7F00|CodeRecover:
			ev.Kind, ev.Token = Recover, uint32(value)
		case code == 0x7F00|CodeGoexit:
			ev.Kind, ev.Token = Goexit, uint32(value)
		case code == 0x7F00|CodeInfo:
			ev.Kind, ev.Site = Marker, uint32(value)&SiteMask
		case code == 0x7F00|CodeError:
			ev.Kind, ev.Site = Error, uint32(value)&SiteMask
		case code == 0x7F00|CodeLong:
			if i++; i >= len(recs) || recs[i].Clock == 0 || recs[i].Clock >= FirstCode {
				continue
			}
			ev.Kind, ev.Site, ev.Token, ev.Value = Long, uint32(recs[i].Clock), uint32(value), recs[i].Word
		case code == 0x7F00|CodeParked:
			ev.Kind, ev.Value = Parked, value&0xF
		case code == 0x7F00|CodeWaited:
			if i++; i >= len(recs) {
				continue
			}
			w := Wait{Reason: WaitReason(value & 0xF), Total: recs[i].Clock, Runnable: recs[i].Word, Waker: value >> 4}
			ev.Kind, ev.Value, ev.Data = Waited, w.Total, AppendWait(nil, w)
		case code == 0x7F00|CodeMade:
			if i++; i >= len(recs) {
				continue
			}
			ev.Kind, ev.Value, ev.Data = Made, value, AppendMade(nil, value, recs[i].Word)
		case code == 0x7F00|CodeSpawn:
			ev.Kind, ev.Value = Spawn, value
		case code == 0x7F00|CodeLate:
			if i += 2; i >= len(recs) {
				continue
			}
			w := Wait{
				Reason: WaitReason(value & 0xF), Total: recs[i-1].Clock, Runnable: recs[i-1].Word, Waker: value >> 4, Ago: recs[i].Clock,
				More: recs[i].Word,
			}
			ev.Kind, ev.Value, ev.Data = Waited, w.Total, AppendWait(nil, w)
		case code == 0x7F00|CodeInts:
			if n := int(value & 7); mayHave {
				events[len(events)-1].Data = meaningOfInts(value, recs[i+1:min(i+1+(n+1)/2, len(recs))])
			}
			i += min(int(value&7+1)/2, len(recs)-1-i)
			continue
		case code == 0x7F00|CodeValues:
			data := []byte{}
			for n := value; n > 0 && i+1 < len(recs); {
				i++
				var raw [RecordSize]byte
				binary.LittleEndian.PutUint64(raw[:], recs[i].Clock)
				binary.LittleEndian.PutUint64(raw[8:], recs[i].Word)
				take := min(n, RecordSize)
				data = append(data, raw[:take]...)
				n -= take
			}
			if mayHave {
				events[len(events)-1].Data = data
			}
			continue
		default:
			continue
		}
		ev.Goroutine = goroutine
		events = append(events, ev)
	}
	return events
}

// meaningOfInts returns the values that a record of code Ints stands for.
func meaningOfInts(value uint64, recs []Record) []byte {
	var words []uint64
	for _, r := range recs {
		words = append(words, r.Clock, r.Word)
	}
	data := []byte{}
	for i := 0; i < int(min(value&7, 4)) && i < len(words); i++ {
		switch kind := TypeKind(value >> (3 + 5*i) & 31); {
		case kind >= KindInt && kind <= KindInt64:
			data = binary.AppendVarint(append(data, byte(kind)), int64(words[i]))
		case kind == KindUint8:
			data = append(data, byte(kind), byte(words[i]))
		case kind >= KindUint && kind <= KindUintptr:
			data = binary.AppendUvarint(append(data, byte(kind)), words[i])
		default:
			data = append(data, TypeUnread)
		}
	}
	return data
}

func equal(a, b Event) bool {
	data := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return data && a.Clock == b.Clock && a.Goroutine == b.Goroutine && a.Stream == b.Stream && a.Kind == b.Kind &&
		a.Site == b.Site && a.Token == b.Token && a.Origin == b.Origin && a.Value == b.Value
}

// roundTrip encodes a chunk, decodes the block and compares with what the records mean.
func roundTrip(t *testing.T, h Chunk, recs []Record) (payload []byte) {
	t.Helper()
	want := meaning(h, recs)
	var enc Encoder
	payload, events := enc.Append([]byte("before"), h, recs)
	payload = payload[len("before"):]
	if len(payload) > MaxEvents && len(recs)*RecordSize <= ChunkSize {
		t.Errorf("%d records take %d bytes, more than %d", len(recs), len(payload), MaxEvents)
	}

	// An encoder and a decoder that are used again do the same.
	var dec Decoder
	for _, read := range []func() ([]Event, error){
		func() (got []Event, err error) {
			var ev Event
			for dec.Next(&ev) {
				got = append(got, ev)
			}
			return got, dec.Err()
		},
		func() (got []Event, err error) {
			evs := make([]Event, 7)
			for n := dec.Read(evs); n > 0; n = dec.Read(evs) {
				got = append(got, evs[:n]...)
			}
			return got, dec.Err()
		},
	} {
		again, _ := enc.Append(nil, h, recs)
		if !bytes.Equal(again, payload) {
			t.Fatal("the encoder's second block differs")
		}
		got, err := dec.Reset(again)
		if wantHeader := (EventsHeader{h.Stream, h.Seq, h.Clock, h.Goroutine, uint64(events), h.Lost}); got != wantHeader || err != nil {
			t.Fatalf("header %+v, %v, want %+v", got, err, wantHeader)
		}
		evs, err := read()
		if err != nil {
			t.Fatal(err)
		}
		counted := 0
		for i, ev := range evs {
			if i >= len(want) || !equal(ev, want[i]) {
				t.Fatalf("event %d is %+v, want %+v", i, ev, want[min(i, len(want)-1)])
			}
			switch ev.Kind {
			case Enter, Exit, Start, Panic, Recover, Goexit, Marker, Error, Long:
				counted++
			}
		}
		if len(evs) != len(want) || counted != events {
			t.Fatalf("%d events, want %d; %d of them count, want %d", len(evs), len(want), counted, events)
		}
	}
	return payload
}

// A program makes records as an instrumented program does, each choice taken
// from choose(n), a number below n.
type program struct {
	choose     func(n int) int
	clock      uint64
	stacks     map[uint64][]Record // the open calls of the goroutines
	goroutine  uint64
	goroutines uint64
	recs       []Record
}

func newProgram(choose func(n int) int) *program {
	return &program{choose: choose, clock: 1 << 40, stacks: make(map[uint64][]Record), goroutine: 1, goroutines: 1}
}

func (p *program) record(word uint64) {
	switch p.choose(20) {
	case 0:
		p.clock -= uint64(p.choose(50)) // another CPU's counter
	case 1:
		p.clock += 1 << p.choose(40)
	default:
		p.clock += uint64(p.choose(200))
	}
	p.recs = append(p.recs, Record{p.clock, word})
}

func codeWord(code, value uint64) uint64 { return FirstCode<<SiteShift | code<<CodeShift | value }

func (p *program) step() {
	stack := p.stacks[p.goroutine]
	token, caller := uint32(64), uint32(0)
	if n := len(stack); n > 0 {
		token, caller = uint32(stack[n-1].Word), uint32(stack[n-1].Word>>SiteShift)
	}
	switch c := p.choose(44); {
	case c < 18 && len(stack) < 30: // a call, inlined into the caller with token + 0
		site := uint64(1 + (caller*5+uint32(p.choose(3)))%40)
		if p.choose(50) == 0 {
			site = FirstCode - 1
		}
		r := Record{Word: site<<SiteShift | uint64(token+uint32(p.choose(4))*48)}
		p.stacks[p.goroutine] = append(stack, r)
		p.record(r.Word)
	case c < 32 && len(stack) > 0: // a return; at times without the returns before it
		n := len(stack) - 1
		if p.choose(20) == 0 {
			n = p.choose(len(stack))
		}
		p.stacks[p.goroutine] = stack[:n]
		p.record(stack[n].Word | ExitBit)
	case c < 34: // another goroutine runs
		p.goroutine = 1 + uint64(p.choose(int(p.goroutines)))
		p.record(codeWord(CodeGo, p.goroutine))
	case c < 35: // a new one
		parent := p.goroutine
		p.goroutines++
		p.goroutine = p.goroutines
		p.record(codeWord(CodeGo, p.goroutine))
		p.record(codeWord(CodeStart, parent))
		if p.choose(3) > 0 {
			p.recs = append(p.recs, Record{p.clock, codeWord(CodeOrigin, 1+uint64(p.choose(300)))})
		}
	case c < 36:
		p.stacks[p.goroutine] = nil
		p.record(codeWord(CodeEnd, 0))
	case c < 37: // a panic, and the recovery some frames up
		p.record(codeWord(CodePanic, uint64(token)))
		if n := p.choose(len(stack) + 1); n < len(stack) {
			p.stacks[p.goroutine] = stack[:n+1]
			p.record(codeWord(CodeRecover, uint64(uint32(stack[n].Word))))
		}
	case c < 38:
		p.record(codeWord(CodeGoexit, uint64(token)))
	case c < 39:
		p.record(codeWord(uint64(CodeInfo+p.choose(2)), uint64(1+p.choose(40))))
	case c < 40:
		kinds := uint64(0)
		n := 1 + p.choose(4)
		for i := 0; i < n; i++ {
			kinds |= uint64(KindInt+TypeKind(p.choose(11))) << (3 + 5*i)
		}
		p.record(codeWord(CodeInts, kinds|uint64(n)))
		for ; n > 0; n -= 2 {
			p.recs = append(p.recs, Record{-uint64(p.choose(300)), uint64(p.choose(1 << 30))})
		}
	case c < 41: // a call of a counted function, longer than the chunk lasts at times
		p.record(codeWord(CodeLong, uint64(token)))
		p.recs = append(p.recs, Record{uint64(1 + p.choose(40)), uint64(1) << p.choose(64)})
	case c < 42:
		n := p.choose(4)
		p.record(codeWord([]uint64{CodeParked, CodeWaited, CodeLate, CodeMade}[n], uint64(p.choose(WaitReasons))))
		if n == 3 {
			p.recs = append(p.recs, Record{0, uint64(1) << p.choose(64)})
			n = 0
		}
		for ; n > 0; n-- { // records that belong to it
			p.recs = append(p.recs, Record{uint64(1) << p.choose(62), uint64(p.choose(1 << 30))})
		}
	case c < 43:
		p.record(codeWord([]uint64{CodeVoid, CodeSpawn}[p.choose(2)], uint64(p.choose(1<<20))))
	default:
		n := p.choose(70)
		p.record(codeWord(CodeValues, uint64(n)))
		for ; n > 0; n -= RecordSize {
			p.recs = append(p.recs, Record{uint64(p.choose(1 << 30)), uint64(p.choose(1<<30)) << 32})
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, seed := range seed.List(300) {
		p := newProgram(rand.New(rand.NewSource(int64(seed))).Intn)
		for i := 0; i < 4; i++ { // the calls of one chunk return in the next
			h := Chunk{State: ChunkFull, Stream: uint32(seed), Seq: seed << 20, Clock: p.clock, Goroutine: p.goroutine, Lost: uint64(i)}
			p.recs = p.recs[:0]
			for len(p.recs) < 500 {
				p.step()
			}
			roundTrip(t, h, p.recs)
			if t.Failed() {
				t.Fatalf("with seed %d", seed)
			}
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("calls and returns"))
	f.Fuzz(func(t *testing.T, choices []byte) {
		p := newProgram(func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := int(choices[0])
			choices = choices[1:]
			return c % n
		})
		h := Chunk{State: ChunkFull, Clock: p.clock, Goroutine: p.goroutine}
		for len(choices) > 0 && len(p.recs) < 4000 {
			p.step()
		}
		roundTrip(t, h, p.recs)
	})
}

// Records that no program writes are left out, and the others can be read.
func FuzzEncoder(f *testing.F) {
	var b []byte
	for i, w := range []uint64{
		1<<SiteShift | 100, codeWord(CodeOrigin, 5), codeWord(CodeStart, 5), codeWord(0, 5), codeWord(CodeExit, 5),
		codeWord(CodeSkew, 5), codeWord(99, 5), codeWord(255, 5), 0, 100, ExitBit | 100, ExitBit | codeWord(CodeGo, 5),
		ExitBit | 1<<SiteShift | 100, codeWord(CodeInfo, ValueMask), codeWord(CodeInfo, 0),
		codeWord(CodeParked, 300), codeWord(CodeLong, 48), 7, codeWord(CodeWaited, ValueMask), codeWord(CodeLong, 48), codeWord(CodeMade, ValueMask), 7, 1<<SiteShift | 100, codeWord(CodeValues, ValueMask), 1, 2,
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var recs []Record
		const below = 1<<62 - 1 // clocks are
		for ; len(b) >= RecordSize; b = b[RecordSize:] {
			recs = append(recs, Record{binary.LittleEndian.Uint64(b) & below, binary.LittleEndian.Uint64(b[8:])})
		}
		roundTrip(t, Chunk{Clock: 1 << 61, Goroutine: 1}, recs)
	})
}

// Whatever the payload, the decoder takes no more than it holds.
func FuzzDecoder(f *testing.F) {
	p := newProgram(rand.New(rand.NewSource(1)).Intn)
	for len(p.recs) < 300 {
		p.step()
	}
	var enc Encoder
	payload, _ := enc.Append(nil, Chunk{Clock: p.clock}, p.recs)
	f.Add(payload)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 3, 200, 1, 2, 'a', 'b', 0<<2 | tagEnter, 1, 2, tagExit}) // an unknown code
	f.Add([]byte{0, 0, 9, 1, 2, 0, tagOther, CodeLong, 4, 7, 48, 200, 1, tagOther, CodeLong, 2, 7, 48})
	f.Fuzz(func(t *testing.T, payload []byte) {
		var dec Decoder
		h, err := dec.Reset(payload)
		if err == nil && h.Stream >= MaxStreams {
			t.Errorf("stream %d", h.Stream)
		}
		var ev Event
		n, data := 0, 0
		for dec.Next(&ev) {
			n++
			data += len(ev.Data)
			if (ev.Kind == Enter || ev.Kind == Exit || ev.Kind == Long) && (ev.Site == 0 || ev.Site >= FirstCode) {
				t.Errorf("%+v", ev)
			}
		}
		if n+data > len(payload) || len(dec.m.stack) > n+2 { // with the frame below all calls; the last enter may be half a one
			t.Errorf("%d events, %d bytes of values and %d open calls in %d bytes", n, data, len(dec.m.stack), len(payload))
		}
		if err := dec.Err(); err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
		if dec.Next(&ev) {
			t.Error("an event after the end")
		}
	})
}

// The chunk that takes the most space.
func TestMaxEvents(t *testing.T) {
	var recs []Record
	for i := uint64(0); i < (ChunkSize-ChunkHeader)/RecordSize; i++ {
		recs = append(recs, Record{(i & 1) << 61, ExitBit | (FirstCode-1)<<SiteShift | 0xFFFFFFFF})
	}
	payload := roundTrip(t, Chunk{Stream: MaxStreams - 1, Seq: 1<<64 - 1, Clock: 1 << 61, Goroutine: 1<<64 - 1, Lost: 1<<64 - 1}, recs)
	t.Logf("%d bytes of %d", len(payload), MaxEvents)
}

// A realistic program, a parser and its tree walker, takes less than 4 bytes an event.
func TestSize(t *testing.T) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	payload := roundTrip(t, Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
	perEvent := float64(len(payload)+BlockHeader) / float64(len(recs))
	t.Logf("%.2f bytes an event", perEvent)
	if perEvent > 4 {
		t.Errorf("%.2f bytes an event, want at most 4", perEvent)
	}
}

// parserRecords makes n records of a program that parses expressions by
// recursive descent and evaluates them, on a CPU of 2.6 GHz. Calls take 15 to
// 200 ns and the lexer's input decides which come next.
func parserRecords(n int) (recs []Record) {
	rnd := rand.New(rand.NewSource(1))
	clock := uint64(1e12)
	tick := func() {
		clock += 40 + uint64(rnd.ExpFloat64()*150)
		if rnd.Intn(500) == 0 {
			clock += uint64(rnd.ExpFloat64() * 50000) // reads more input, or waits for the collector
		}
	}
	const (
		statement = 1 + iota
		expression
		term
		factor
		lex
		skipBlanks
		newNode
		eval
		lookup
	)
	frame := [...]uint64{statement: 176, expression: 128, term: 128, factor: 144, lex: 96, skipBlanks: 32, newNode: 64, eval: 112, lookup: 80}
	call := func(site, token uint64, body func(token uint64)) {
		token += frame[site]
		tick()
		recs = append(recs, Record{clock, site<<SiteShift | token})
		if body != nil && len(recs) < n {
			body(token)
		}
		tick()
		recs = append(recs, Record{clock, ExitBit | site<<SiteShift | token})
	}
	next := func(token uint64) {
		call(lex, token, func(token uint64) {
			if rnd.Intn(2) == 0 {
				call(skipBlanks, token, nil)
			}
		})
	}
	depth := 0
	var parse func(token uint64)
	binary := func(site int, operand func(token uint64)) func(token uint64) {
		return func(token uint64) {
			call(uint64(site), token, func(token uint64) {
				operand(token)
				for rnd.Intn(3) == 0 {
					next(token)
					operand(token)
					call(newNode, token, nil)
				}
			})
		}
	}
	parse = binary(expression, binary(term, func(token uint64) {
		call(factor, token, func(token uint64) {
			next(token)
			if depth++; depth < 8 && rnd.Intn(5) == 0 {
				parse(token)
				next(token)
			}
			depth--
			call(newNode, token, nil)
		})
	}))
	var evaluate func(token uint64, depth int)
	evaluate = func(token uint64, depth int) {
		call(eval, token, func(token uint64) {
			if depth == 0 || rnd.Intn(4) == 0 {
				call(lookup, token, nil)
				return
			}
			evaluate(token, depth-1)
			evaluate(token, depth-1)
		})
	}
	for len(recs) < n {
		call(statement, 200, func(token uint64) {
			next(token)
			parse(token)
			evaluate(token, 4)
		})
	}
	return recs[:n]
}
