package tracefile

import (
	"time"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Kind says what an event reports. String returns its name in lower case, as in "enter".
type Kind = format.Kind

const (
	Enter   = format.Enter   // a call of Site begins
	Exit    = format.Exit    // the call of Site with Token ends; calls with greater tokens are gone
	Go      = format.Go      // the stream goes on with Goroutine
	Start   = format.Start   // Goroutine's first event: Value is the parent's id, Origin where it was created
	End     = format.End     // Goroutine has ended
	Panic   = format.Panic   // a panic begins in the frame of Token
	Recover = format.Recover // a panic was recovered: calls with tokens greater than Token are gone
	Goexit  = format.Goexit  // runtime.Goexit begins in the frame of Token
	Marker  = format.Marker  // the info function Site is called
	Error   = format.Error   // the innermost call of Site returns an error; its exit follows
	Long    = format.Long    // a call of Site that took long ends; it was counted, and has no Enter and no Exit
	Parked  = format.Parked  // Goroutine does not run any more; Value is the WaitReason
	Waited  = format.Waited  // Goroutine runs again: see Event.Wait
	Made    = format.Made    // the innermost call has made Value heap objects since Goroutine's event before: see Event.Bytes
	Spawn   = format.Spawn   // Goroutine executes a go statement: Value is the id of the new goroutine
)

// An Event is what happened at one moment on a goroutine.
//
//	Clock     uint64 // ticks of the program's clock, see File.Nanos
//	Goroutine uint64 // its id, as in stack traces; 0 when it isn't known
//	Stream    uint32 // the scheduler's P that it ran on
//	Kind      Kind
//	Site      uint32 // Enter, Exit, Marker, Error, Long: id of the function, see File.Func
//	Token     uint32 // Enter, Exit, Panic, Recover, Goexit, Long: bytes from the top of the stack to the frame
//	Origin    uint32 // Start: id of the go statement, see File.Origin; 0 if unknown
//	Value     uint64 // Start: the parent goroutine's id; Long, Waited: ticks that the call or the wait took;
//	                 // Parked: why; Made: objects; Spawn: the new goroutine's id
//	Data      []byte // arguments (Enter, Marker), results (Exit) or the panic's value, see package value
//
//	Begin() uint64   // the clock when the call of a Long event began, to within some 100 us; else Clock
//	Wait() Wait      // what an event Waited says
//	Bytes() uint64   // that the allocator took for the objects of an event Made
//
// Data is valid until the next events are read.
type Event = format.Event

// Duration returns how long the call of a Long event took.
func (f *File) Duration(ev *Event) time.Duration {
	return time.Duration(f.Nanos(ev.Clock) - f.Nanos(ev.Begin()))
}

// An Origin is a go statement that created goroutines.
//
//	ID   uint32
//	Func string // the function that holds the go statement
//	File string
//	Line int
type Origin = format.Origin

// A TestState says what happens to a test of package testing.
type TestState = format.TestState

const (
	TestBegins    = format.TestBegins    // it runs on Goroutine from now on
	TestPauses    = format.TestPauses    // T.Parallel: it waits for its turn
	TestContinues = format.TestContinues // its turn has come
	TestPasses    = format.TestPasses
	TestFails     = format.TestFails
	TestSkips     = format.TestSkips
	TestPanics    = format.TestPanics // nobody recovered: the program is about to end
	TestLogs      = format.TestLogs   // Text is what was logged, with file and line, cut after 1,000 bytes
	TestErrs      = format.TestErrs   // it is marked as failed: t.Fail, or what calls it
)

// A TestEvent says what happened to a test when. Examples and fuzz targets are tests too.
//
//	Clock     uint64 // ticks of the program's clock
//	Goroutine uint64
//	State     TestState
//	Name      string // as in package testing: TestParse/empty
//	Text      string
type TestEvent = format.TestEvent

// testEvent returns an event as it may be printed.
func testEvent(t TestEvent) TestEvent {
	t.Name, t.Text = names.Printable(t.Name), names.PrintableLines(t.Text)
	return t
}
