package recorder

import (
	"strings"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/rt"
)

// binary notes whose tests the program runs.
func (r *Recorder) binary(importPath string) {
	r.note(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaTests, Value: importPath}}))
}

// test notes what happens to a test.
func (r *Recorder) test(state uint8, name, text string, goroutine, clock uint64) {
	if len(text) > format.MaxTestText {
		text = strings.ToValidUTF8(text[:format.MaxTestText], "")
	}
	r.note(format.BlockTests, format.AppendTests(nil, []format.TestEvent{
		{Clock: clock, Goroutine: goroutine, State: format.TestState(state), Name: name, Text: text}}))
}

// note writes a block at once: what it tells must be in the file when the
// program dies, which a test may well be the cause of.
func (r *Recorder) note(kind format.BlockKind, payload []byte) {
	rt.Mute(true)
	defer rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.out.block(kind, payload)
	if err := r.write(); err != nil {
		r.fail(err)
	}
}
