package recorder

import (
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Values say what is recorded of values, by functions that were instrumented for it.
type Values struct {
	Args, Results bool
	Panics        bool     // of panics
	Depth         int      // how deep composite values are opened
	Bytes         int      // of each value
	Redact        []string // words in names of fields that are not recorded, see format.LooksSecret
	Stringers     bool     // texts of methods instead of values, see rt.Stringer
}

// capture sets what is recorded of values in a program that was built with the given settings.
func (r *Recorder) capture(settings string) {
	var v Values
	if r.config.Values != nil {
		v = r.config.Values(settings)
	}
	if r.config.Hidden {
		v.Args, v.Results, v.Panics = false, false, false
	}
	r.settings = settings
	r.rt.Capture(v.Args, v.Results, v.Panics, v.Depth, v.Bytes, v.Redact)
}

// HideValues has no values recorded any more.
func (r *Recorder) HideValues() {
	r.locked(func() {
		if !r.closed {
			r.config.Hidden = true
			r.rt.Hide(true)
		}
	})
}

// types is a place in the chain of the arena's chunks that describe types.
type types struct {
	chunk  int // 0: none was there yet
	offset int
}

// append appends the descriptions from here on that were added.
func (t *types) append(a *arena, o *output) {
	if t.chunk == 0 {
		t.chunk, t.offset = format.FirstTypes(a.chunk(0)), format.ChunkHeader
	}
	for t.chunk > 0 && t.chunk < a.chunks() { // else it is broken, see arena.check
		// The link comes first: there is one only when nothing more is added to the chunk.
		chunk := a.chunk(t.chunk)
		next := format.NextTypes(format.ParseChunk(chunk))
		var list []byte
		if list, t.offset = format.ChunkOfTypes(chunk, t.offset); len(list) > 0 {
			o.block(format.BlockTypes, list)
		}
		if next == 0 {
			return
		}
		t.chunk, t.offset = next, format.ChunkHeader
	}
}
