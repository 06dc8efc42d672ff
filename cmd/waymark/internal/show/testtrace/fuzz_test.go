package testtrace

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/tracefile"
)

// Whatever a file says about tests and goroutines, what is printed of a test keeps to
// the limit.
func FuzzPrint(f *testing.F) {
	f.Add("<1 A10 @2 <1 B10 @3 <9 C10 c10 @2 !10 b10 . @1 a10", []byte("\x01\x02\x01A\x03\x02\x05A"))
	f.Add("A10 @7 <8 B10 @8 <7 C10 c10", []byte("\x01\x01\x01A\x01\x02\x01B\x02\x07\x02A\x09\x01\x05A"))
	f.Fuzz(func(t *testing.T, events string, tests []byte) {
		var rec calltreetest.Recording
		var err error
		if rec.Events, err = calltreetest.Events(events); err != nil {
			return
		}
		// Four bytes make a test event: clock, goroutine, state, name.
		for ; len(tests) >= 4 && len(rec.Tests) < 50; tests = tests[4:] {
			rec.Tests = append(rec.Tests, tracefile.TestEvent{Clock: uint64(tests[0]), Goroutine: uint64(tests[1]),
				State: tracefile.TestState(tests[2]), Name: strings.Repeat("T/", int(tests[3]%4)) + "T", Text: "text\n"})
		}
		b := rec.Bytes()
		file, err := tracefile.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		r := Open(file)
		if err := r.Read(); err != nil {
			t.Fatal(err)
		}
		const limit = 10
		var out bytes.Buffer
		if err := r.Print(&out, r.Tests, Options{Lines: limit}); err != nil {
			t.Fatal(err)
		}
		// A test's heading, names of columns, two gaps and what was left out come on top; and one
		// line in all.
		if n, most := bytes.Count(out.Bytes(), []byte("\n")), len(r.Tests)*(limit+6)+2; n > most {
			t.Errorf("%d lines of %d tests, more than %d:\n%s", n, len(r.Tests), most, out.Bytes())
		}
		if err := r.Print(io.Discard, r.Failed(), Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
