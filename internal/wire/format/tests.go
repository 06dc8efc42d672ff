package format

import "encoding/binary"

// A TestState says what happens to a test of package testing.
type TestState uint8

const (
	TestBegins    TestState = 1 + iota // it runs on Goroutine from now on
	TestPauses                         // T.Parallel: it waits for its turn
	TestContinues                      // its turn has come
	TestPasses
	TestFails
	TestSkips
	TestPanics // nobody recovered: the program is about to end
	TestLogs   // Text is what was logged, with file and line, at most MaxTestText bytes
	TestErrs   // it is marked as failed: t.Fail, or what calls it
)

// MaxTestText bounds the text of a log, bytes.
const MaxTestText = 1000

// A TestEvent says what happened to a test when. Examples and fuzz targets are tests too.
type TestEvent struct {
	Clock     uint64 // ticks of the program's clock
	Goroutine uint64
	State     TestState
	Name      string // as in package testing: TestParse/empty; never empty
	Text      string
}

// AppendTests appends the payload of a Tests block.
func AppendTests(dst []byte, tests []TestEvent) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(tests)))
	last := ""
	for i := range tests {
		dst = appendTest(dst, &tests[i], last)
		last = tests[i].Name
	}
	return dst
}

// appendTest appends a test event. last is the name in the event before it, "" if it is the first. The same
// name is left out, as most tests begin and end next.
func appendTest(dst []byte, t *TestEvent, last string) []byte {
	dst = binary.AppendUvarint(dst, t.Clock)
	dst = binary.AppendUvarint(dst, t.Goroutine)
	name := t.Name
	if name == last {
		name = ""
	}
	return appendString(appendString(append(dst, byte(t.State)), name), t.Text)
}

// ParseTests reads the payload of a Tests block.
func ParseTests(payload []byte) ([]TestEvent, error) {
	c := cursor{b: payload}
	n := c.count(5)
	tests := make([]TestEvent, 0, n)
	for ; n > 0 && c.err == nil; n-- {
		tests = c.nextTest(tests)
	}
	return tests, c.err
}

// nextTest reads a test event, if there is one, and appends it to those before.
func (c *cursor) nextTest(tests []TestEvent) []TestEvent {
	t := TestEvent{Clock: c.uvarint(), Goroutine: c.uvarint(), State: TestState(c.byte()), Name: c.string(), Text: c.string()}
	if c.err != nil {
		return tests
	}
	if n := len(tests); t.Name == "" && n > 0 {
		t.Name = tests[n-1].Name
	}
	return append(tests, t)
}
