package format

import "fmt"

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
	Clock     uint64 // ticks of the program's clock
	Goroutine uint64 // its id, as in stack traces; 0 when it isn't known
	Stream    uint32 // the scheduler's P that it ran on
	Kind      Kind
	Site      uint32 // Enter, Exit, Marker, Error, Long: id of the function
	Token     uint32 // Enter, Exit, Panic, Recover, Goexit, Long: bytes from the top of the stack to the frame
	Origin    uint32 // Start: id of the go statement; 0 if unknown
	Value     uint64 // Start: the parent goroutine's id; Long, Waited: ticks that the call or the wait took; Parked: why; Made: objects; Spawn: the new goroutine's id

	// Data holds arguments (Enter, Marker), results (Exit) or the panic's value, encoded, if they were
	// recorded, until the next events are read.
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

// A Site describes an instrumented function.
type Site struct {
	Name  string // as runtime.FuncForPC returns it
	File  string
	Line  int // of the func keyword
	Flags SiteFlags

	// Names of the values that are recorded, _ for values without a name: receiver and parameters,
	// results. nil if no values are recorded.
	Args, Results []string

	// Types of these values as in the source, of predeclared types and slices of them; empty for others.
	ArgTypes, ResultTypes []string

	// Tiny are the names, without the package, of functions of the same package that aren't sites
	// because the compiler inlines them. Their calls run as part of this function's, and their time is
	// this function's own.
	Tiny []string

	Body Extent // as it is known to coverage profiles; zero if it is not known
}

// An Extent is where a function's body begins and ends: its braces in File, with columns in bytes from
// 1. The end is behind the brace.
type Extent struct{ Line, Column, EndLine, EndColumn int }

// SiteFlags are properties of a site.
type SiteFlags uint32

// Closure marks a function literal. Flags of roles follow it, see Roles.
const Closure SiteFlags = 1 << 0

// An Origin is a go statement that created goroutines.
type Origin struct {
	ID   uint32
	Func string // the function that holds the go statement
	File string
	Line int
}

// A ClockPair relates the program's clock to the host's, read at one instant.
type ClockPair struct {
	Clock    uint64 // ticks
	UnixNano int64  // wall clock, ns since 1970
	MonoNano int64  // monotonic clock, ns since an arbitrary start
}

// A Trailer is the content of the End block.
type Trailer struct {
	Clock     uint64 // when recording ended
	Events    uint64 // events written
	Lost      uint64 // events dropped because no buffer was free
	Flags     uint64
	Recovered uint64 // those of Events that a reader took from the arena
}

// Flags of the trailer.
const (
	Recovered = 1 << 0 // a reader completed the file from the arena
	Full      = 1 << 1 // recording ended before the program did: the file had reached its size
	Failed    = 1 << 2 // recording ended before the program did: the file could not be written
	Disk      = 1 << 3 // with Full: the file system was nearly full, and not the file
)
