package format

import (
	"errors"
	"math/rand"
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// randomIndex returns an index that a writer may have made.
func randomIndex(r *rand.Rand) (x Index) {
	x.From = HeaderSize + uint64(r.Intn(1000))
	x.Previous = uint64(r.Intn(int(x.From)))
	x.At = x.From
	outlines := 0
	add := func(e IndexEntry) {
		x.Entries = append(x.Entries, e)
		x.At += BlockHeader + uint64(e.Length)
	}
	for range make([]struct{}, r.Intn(20)) {
		if r.Intn(4) == 0 {
			add(IndexEntry{Kind: []BlockKind{BlockMeta, BlockClock, BlockTests, 77}[r.Intn(4)], Length: r.Intn(1000)})
			continue
		}
		e := IndexEntry{Kind: BlockEvents, Length: 100 + r.Intn(1000)}
		e.Stream, e.Seq, e.Clock = uint32(r.Intn(MaxStreams)), r.Uint64(), r.Uint64()
		e.Events, e.Lost = uint64(r.Intn(100)), uint64(r.Intn(3))
		if r.Intn(2) == 0 {
			e.Outline = 1 + r.Intn(100)
			outlines += e.Outline
		}
		if e.MoreStarts = r.Intn(5) == 0; !e.MoreStarts {
			for range make([]struct{}, r.Intn(3)) {
				e.Starts = append(e.Starts, GoroutineStart{Clock: r.Uint64(), Goroutine: r.Uint64(), Parent: uint64(r.Intn(10)), Origin: r.Uint32()})
			}
		}
		add(e)
	}
	if outlines > 0 {
		add(IndexEntry{Kind: BlockOutlines, Length: outlines})
	}
	return x
}

func payloadOf(x Index) []byte {
	var w IndexWriter
	for i := range x.Entries {
		w.Add(&x.Entries[i])
	}
	return w.AppendTo(nil, x.At, x.Previous, x.From)
}

func TestIndex(t *testing.T) {
	r := seed.Rand(t, 1)
	for range make([]struct{}, 1000) {
		x := randomIndex(r)
		if len(x.Entries) == 0 {
			x.Entries = []IndexEntry{}
		}
		payload := payloadOf(x)
		got, err := ParseIndex(payload)
		if err != nil || !reflect.DeepEqual(got, x) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, got, x)
		}
		// What is cut off, or says anything else about where blocks are, is refused.
		if cut := r.Intn(len(payload)); cut > 0 {
			if _, err := ParseIndex(payload[:cut]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d of %d bytes: %v", cut, len(payload), err)
			}
		}
		for _, wrong := range []Index{
			{At: x.At + 1, Previous: x.Previous, From: x.From, Entries: x.Entries},
			{At: x.At, Previous: x.From + 1, From: x.From, Entries: x.Entries},
			{At: x.At - x.From, Previous: 0, From: 0, Entries: x.Entries},
			{At: x.At, Previous: 0, From: x.From, Entries: append(x.Entries, IndexEntry{Kind: BlockOutlines, Length: 5})},
		} {
			if _, err := ParseIndex(payloadOf(wrong)); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%+v: %v", wrong, err)
			}
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for range make([]struct{}, 10) {
		f.Add(payloadOf(randomIndex(r)))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		x, err := ParseIndex(payload)
		if len(x.Entries) > len(payload) {
			t.Errorf("%d entries of %d bytes", len(x.Entries), len(payload))
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	})
}
