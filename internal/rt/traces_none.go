//go:build !waymark

package rt

// A Trace is a trace that was kept.
type Trace struct {
	Key     uint64
	Site    uint32
	Ended   uint64
	Lost    uint64
	Flags   uint32
	Strands []Strand
}

// A Strand is what a goroutine did in a trace.
type Strand struct {
	Goroutine, Parent, Started, Ticket uint64
	Handed, Running                    bool
	Records                            []TraceEvent
}

// A TraceEvent is an event of a strand.
type TraceEvent struct {
	Clock, Value uint64
	Site         uint32
	Kind         uint8
	Left         bool
}

// Bits of Trace.Flags.
const (
	TraceFailed = 1 << iota
	TracePanicked
	TraceExited
)

// Values of TraceEvent.Kind.
const (
	GatheredEnter = iota
	GatheredExit
	GatheredPanic
	GatheredRecover
	GatheredGoexit
	GatheredError
	GatheredGo
	GatheredTicket
)

// An ActiveTrace is a trace whose root call is in progress.
type ActiveTrace struct {
	Site                             uint32
	Goroutine, Parent, Started, Lost uint64
	Calls, Goroutines                int
}

// A Ticket lets goroutines join a trace.
type Ticket struct{}

// TraceCounts count since the program began.
type TraceCounts struct{ Begun, Ended, Queued, Dropped, Lost uint64 }

func StartTraces(bytes uintptr, most uint64, linger int64) uint64 { panic(none) }
func KeepTraces(all, failed bool, longer int64, oneIn uint64)     { panic(none) }
func WaitTraces() bool                                            { panic(none) }
func TakeTrace() *Trace                                           { panic(none) }
func EndTraces()                                                  { panic(none) }
func ForgetTraces()                                               { panic(none) }
func CountTraces() TraceCounts                                    { panic(none) }
func ActiveTraces() []ActiveTrace                                 { panic(none) }
func NewTicket() Ticket                                           { panic(none) }
func JoinTrace(Ticket) bool                                       { panic(none) }
func LeaveTrace(Ticket)                                           { panic(none) }
