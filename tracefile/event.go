package tracefile

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Kind says what an event reports.
type Kind uint8

const (
	Enter   Kind = iota // a call of Site begins
	Exit                // the call of Site with Token ends; calls with greater tokens are gone
	Go                  // the stream goes on with Goroutine
	Start               // Goroutine's first event: Value is the parent's id, Origin where it was created
	End                 // Goroutine has ended
	Panic               // a panic begins in the frame of Token
	Recover             // a panic was recovered: calls with tokens greater than Token are gone
	Goexit              // runtime.Goexit begins in the frame of Token
	Marker              // the info function Site is called
	Error               // the innermost call of Site returns an error; its exit follows
	Long                // a call of Site that took long ends; it was counted, and has no Enter and no Exit
	Parked              // Goroutine does not run any more; Value is the WaitReason
	Waited              // Goroutine runs again: see Event.Wait
	Made                // the innermost call has made Value heap objects since Goroutine's event before: see Event.Bytes
	Spawn               // Goroutine executes a go statement: Value is the id of the new goroutine
)

var kindNames = [...]string{"enter", "exit", "go", "start", "end", "panic", "recover", "goexit", "marker", "error", "long", "parked", "waited", "made", "spawn"}

// String returns the kind's name in lower case, as in "enter".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// An Event is what happened at one moment on a goroutine.
type Event struct {
	Clock     uint64 // ticks of the program's clock, see File.Nanos
	Goroutine uint64 // its id, as in stack traces; 0 when it isn't known
	Stream    uint32 // the scheduler's P that it ran on
	Kind      Kind
	Site      uint32 // Enter, Exit, Marker, Error, Long: id of the function, see File.Func
	Token     uint32 // Enter, Exit, Panic, Recover, Goexit, Long: bytes from the top of the stack to the frame
	Origin    uint32 // Start: id of the go statement, see File.Origin; 0 if unknown
	Value     uint64 // Start: the parent goroutine's id; Long, Waited: ticks that the call or the wait took; Made: objects; Spawn: the new goroutine's id

	// Data holds arguments (Enter, Marker), results (Exit) or the panic's value, encoded, if they were
	// recorded. Package value reads them. They are valid until the next events are read.
	Data []byte
}

// Begin returns the clock when the call of a Long event began, Clock of other events. The program
// knows it to within some 100 us.
func (ev *Event) Begin() uint64 {
	if ev.Kind != Long {
		return ev.Clock
	}
	return ev.Clock - min(ev.Value, ev.Clock)
}

// Duration returns how long the call of a Long event took.
func (f *File) Duration(ev *Event) time.Duration {
	return time.Duration(f.Nanos(ev.Clock) - f.Nanos(ev.Begin()))
}

// asEvents returns decoded events as what users see, without copying them: both types have the same
// fields, which a test checks.
func asEvents(list []format.Event) []Event {
	return unsafe.Slice((*Event)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// An Origin is a go statement that created goroutines.
type Origin struct {
	ID   uint32
	Func string // the function that holds the go statement
	File string
	Line int
}

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
	TestLogs   // Text is what was logged, with file and line, cut after 1,000 bytes
	TestErrs   // it is marked as failed: t.Fail, or what calls it
)

// A TestEvent says what happened to a test when. Examples and fuzz targets are tests too.
type TestEvent struct {
	Clock     uint64 // ticks of the program's clock
	Goroutine uint64
	State     TestState
	Name      string // as in package testing: TestParse/empty
	Text      string
}

func testEvent(t format.TestEvent) TestEvent {
	return TestEvent{t.Clock, t.Goroutine, TestState(t.State), names.Printable(t.Name), names.PrintableLines(t.Text)}
}
