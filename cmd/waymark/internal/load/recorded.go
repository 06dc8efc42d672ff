package load

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/tracefile"
)

// MaxSpans is how many spans of a recording are kept.
const MaxSpans = 1_000_000

// Recorded has the traces of recordings, over and over.
type Recorded struct {
	Traces, Spans int  // that it has
	Cut           bool // there were more than MaxSpans

	traces [][]spans.Span
	ends   []int64 // of the last span of each
	next   int
	spans  []spans.Span // what Next has returned
	rng    *rand.Rand
}

var errEnough = errors.New("enough spans")

// Record reads the traces of a set's calls that the filter shows: the first ones, if there are many.
// progress is told now and then how much of the time has been read.
func Record(set *tracefile.Set, filter *recording.Filter, rng *rand.Rand, progress func(done, all time.Duration)) (*Recorded, []recording.Summary, error) {
	r := &Recorded{rng: rng}
	index := make(map[[16]byte]int)
	read, err := otlp.Tell(set, filter, calls.Options{Progress: progress}, true, func(s *spans.Span) error {
		if r.Spans == MaxSpans {
			r.Cut = true
			return errEnough
		}
		i, known := index[s.Trace]
		if !known {
			i = len(r.traces)
			index[s.Trace] = i
			r.traces, r.ends = append(r.traces, nil), append(r.ends, s.End)
		}
		r.traces[i] = append(r.traces[i], s.Clone())
		r.ends[i] = max(r.ends[i], s.End)
		r.Spans++
		return nil
	})
	if r.Traces = len(r.traces); errors.Is(err, errEnough) {
		err = nil
	}
	return r, read, err
}

// Next returns the next trace. Its spans' ids are those of the recording, all changed in the same bits,
// so that parents stay parents.
func (r *Recorded) Next(end int64) []spans.Span {
	trace, shift := r.traces[r.next], end-r.ends[r.next]
	r.next = (r.next + 1) % len(r.traces)
	var id [16]byte
	newID(r.rng, id[:8])
	newID(r.rng, id[8:])
	var change [8]byte
	newID(r.rng, change[:])
	r.spans = append(r.spans[:0], trace...)
	for i := range r.spans {
		s := &r.spans[i]
		s.Trace = id
		s.Start, s.End = s.Start+shift, s.End+shift
		s.ID = changed(s.ID, change)
		if s.Parent != [8]byte{} {
			s.Parent = changed(s.Parent, change)
		}
	}
	return r.spans
}

func changed(id, change [8]byte) [8]byte {
	binary.BigEndian.PutUint64(id[:], binary.BigEndian.Uint64(id[:])^binary.BigEndian.Uint64(change[:]))
	return id
}

// newID makes an id of 8 bytes. Zero is none.
func newID(rng *rand.Rand, id []byte) {
	binary.BigEndian.PutUint64(id, max(rng.Uint64(), 1))
}
