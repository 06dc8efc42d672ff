//go:build !waymark

package rt

import "unsafe"

func Above() unsafe.Pointer   { panic(none) }
func SetAbove(unsafe.Pointer) { panic(none) }

// A Trace is a trace that was kept.
type Trace struct {
	Key     uint64
	Site    uint32
	Ended   uint64
	Lost    uint64
	Flags   uint32
	Within  Span
	Era     uint32
	Status  uint32
	Strands []Strand
}

// A Span is a span of the program's own tracing.
type Span struct {
	TraceID [16]byte
	SpanID  [8]byte
	Sampled bool
	Request [103]byte
}

// A Strand is what a goroutine did in a trace.
type Strand struct {
	Goroutine, Parent, Started, Ticket uint64
	Handed, Running                    bool
	Records                            []TraceEvent
	Values                             []byte
}

// A TraceEvent is an event of a strand.
type TraceEvent struct {
	Clock, Value uint64
	Site         uint32
	Kind         uint8
	Left         bool
	Size         uint16
}

// Bits of Trace.Flags.
const (
	TraceFailed = 1 << iota
	TracePanicked
	TraceExited
	TraceChosen
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

// A Ticket lets goroutines join traces.
type Ticket struct{}

// TraceCounts count since StartTraces.
type TraceCounts struct{ Begun, Ended, Queued, Dropped, Lost, Unvalued uint64 }

// Gatherers is how many gatherers of traces there may be at a time.
const Gatherers = 8

func GatheredBy(number int) uint32 { return Seen << (1 + number) }
func RootOf(number int) uint32     { return GatheredBy(number) << Gatherers }

func StartTraces(bytes uintptr, most uint64, linger int64, args, results bool) (number int) {
	panic(none)
}
func GatherValues(depth, bytes int, redact []string)       { panic(none) }
func TypesOf(era uint32, known int) (list []byte, ok bool) { panic(none) }
func KeepTraces(number int, all, failed bool, longer int64, ranked bool, oneIn uint64, rules []Rule) {
	panic(none)
}
func WaitTraces(number int) bool            { panic(none) }
func TakeTrace(number int) *Trace           { panic(none) }
func EndTraces(number int)                  { panic(none) }
func ForgetTraces(number int)               { panic(none) }
func CountTraces(number int) TraceCounts    { panic(none) }
func ActiveTraces(number int) []ActiveTrace { panic(none) }
func Tails(int, bool)                       { panic(none) }
func TailSamples(int, func(uint32, uint64)) { panic(none) }
func SetTail(int, uint32, uint64)           { panic(none) }
func FindSpans(func([]any, *Span))          { panic(none) }
func NewTicket() Ticket                     { panic(none) }
func JoinTrace(Ticket) (joined uint32)      { panic(none) }
func LeaveTrace(joined uint32)              { panic(none) }

// A Rule selects traces by the HTTP request that they handle.
type Rule struct {
	Method, Path string
	Least, Most  uint32
}
