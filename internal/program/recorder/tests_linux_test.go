package recorder

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Test events are there once whenever the file is read. It is read while they are in the journal,
// and when it is complete. It is read after a kill that came after they were written and before the
// journal was cleared.
func TestJournal(t *testing.T) {
	f := newFake(t)
	f.pkg("m", 1)
	r := f.start(Config{})
	var want []string
	note := func(state format.TestState, name, text string) {
		clock := uint64(len(want) + 1)
		f.test(uint8(state), name, text, 7, clock)
		want = append(want, fmt.Sprint(clock, 7, state, name, len(text)))
	}
	check := func(when string) {
		t.Helper()
		file, err := tracefile.Open(r.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var got []string
		for _, e := range file.Tests() {
			got = append(got, fmt.Sprint(e.Clock, e.Goroutine, format.TestState(e.State), e.Name, len(e.Text)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	note(format.TestBegins, "TestA", "")
	note(format.TestLogs, "TestA", strings.Repeat("é", 400))
	note(format.TestPasses, "TestA", "")
	size := r.out.size
	check("in the journal")
	if r.out.size != size || r.journal == nil {
		t.Errorf("the file grew from %d to %d bytes, journal %v; want events in the journal alone", size, r.out.size, r.journal)
	}
	chunk := r.arena.chunk(r.usable - 1)
	journal := bytes.Clone(chunk)
	r.locked(func() {
		if err := r.write(); err != nil {
			t.Fatal(err)
		}
	})
	check("in the file")
	written := bytes.Clone(chunk)
	copy(chunk, journal)
	check("in both")
	copy(chunk, written)
	note(format.TestBegins, strings.Repeat("long", format.ChunkSize/4), "") // too long for the journal
	for size = r.out.size; len(want) < 5000; {
		name := fmt.Sprint("TestB/", len(want), strings.Repeat("b", 40))
		note(format.TestBegins, name, "")
		note(format.TestPasses, name, "")
		if len(want)%3 == 0 { // the names of the first events of journals are of begins and of ends
			note(format.TestLogs, name, "it is so")
		}
	}
	if r.out.size < size+format.ChunkSize*9/10 {
		t.Errorf("the file has grown by %d bytes: no journal was full", r.out.size-size)
	}
	check("in journals that were written when they were full, and one")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	check("in the complete file")
}
