//go:build !waymark

package rt

import (
	"os"
	"unsafe"
)

// Enabled tells whether the program was built with the hooks.
const Enabled = false

// A Package is a group of instrumented files with their sites.
type Package struct {
	Table string
	Base  uint32
	Sites []uint32

	Settings string
	Groups   []any
	Probes   []uint64
}

// Masked stands for a value that isn't to be seen.
type Masked struct{}

func (Masked) String() string { return "***" }

// A Monitor is what is told of the calls of watched sites.
type Monitor struct {
	Pass  func(site uint32) bool
	Enter func(site uint32, e *Event, v unsafe.Pointer) unsafe.Pointer
	Exit  func(call unsafe.Pointer, e *Event, v unsafe.Pointer, returned bool)
	Panic func(call unsafe.Pointer, e *Event, value any, goexit bool)
	Info  func(call unsafe.Pointer, e *Event, site uint32, callers []string) bool
}

// An Event is what comes with an event that the monitor is told.
type Event struct {
	Goroutine uint64
	Place     unsafe.Pointer
	Recovered bool
	values    []any
}

// EventOf returns an event with these values, for tests.
func EventOf(values []any) *Event { return &Event{values: values} }

// Values returns the arguments or results.
func (e *Event) Values() []any { return e.values }

// Take makes the values at v those of the event: it has them.
func (e *Event) Take(v unsafe.Pointer) {}

// An Overflow says what to do when no chunk is free.
type Overflow uint8

const (
	Block Overflow = iota
	Drop
	Ring
)

// What Want can want of a site.
const (
	Recorded = 1 << iota
	Watched
	Counted
	Timed
	Unvalued
	Long
	Gathered
	Root
	Values
	Seen
)

// Secure reports whether the program runs as another user, or in another group, than its caller.
func Secure() bool { return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() }

const none = "waymark: the program was built without waymark's hooks"

func Packages(func(*Package))                                               { panic(none) }
func Register(*Package)                                                     { panic(none) }
func Info(p *Package, i int, args ...any)                                   { panic(none) }
func ProbesOff()                                                            { panic(none) }
func SetClock(bool)                                                         { panic(none) }
func Start([]byte, Overflow) uint32                                         { panic(none) }
func Retire() bool                                                          { panic(none) }
func Capture(args, results, panics bool, depth, bytes int, redact []string) { panic(none) }
func Hide(bool)                                                             { panic(none) }
func Stringer(func(any) (string, bool))                                     { panic(none) }
func Waits(bool)                                                            { panic(none) }
func WaitTimes(bool)                                                        { panic(none) }
func Stop()                                                                 { panic(none) }
func Take() int                                                             { panic(none) }
func Wait(uint32) bool                                                      { panic(none) }
func Pace(uint64)                                                           { panic(none) }
func Pause(int64, *uint32, uint32, bool) bool                               { panic(none) }
func LikeOthers()                                                           { panic(none) }
func Turn() uint64                                                          { panic(none) }
func Unpause(*uint32)                                                       { panic(none) }
func Ready(fd int32, write bool, ns int64) int32                            { panic(none) }
func Counts(counted, timed []uint64)                                        { panic(none) }
func Estimate(uint32, Guess)                                                { panic(none) }
func GuessOf(uint32) (Guess, bool)                                          { panic(none) }
func Reserve(int)                                                           { panic(none) }
func ValueTimes() (events, bytes, ticks uint64)                             { panic(none) }
func Free(int)                                                              { panic(none) }
func Queue() (free, full int)                                               { panic(none) }
func Broken() bool                                                          { panic(none) }
func Held() uint64                                                          { panic(none) }
func Lost() uint64                                                          { panic(none) }
func Mute(bool)                                                             { panic(none) }
func Go(func())                                                             { panic(none) }
func Finish(func(), int64, func() bool) bool                                { panic(none) }
func AtExit(func())                                                         { panic(none) }
func Clock() (clock uint64, mono int64)                                     { panic(none) }
func Counter() (string, bool, uint64)                                       { panic(none) }
func Floor(int) uint64                                                      { panic(none) }

func Want(*Package, int, uint32) { panic(none) }
func SetMonitor(Monitor)         { panic(none) }
func OnBind(func(*Package))      { panic(none) }
func Goroutine() uint64          { panic(none) }
func Linked(string) bool         { panic(none) }
func Late() int64                { panic(none) }
func Unreported() uint64         { panic(none) }

func OnTests(func(string), func(uint8, string, string, uint64, uint64), func(int64) int64) {
	panic(none)
}

func SeenStart([]byte)          { panic(none) }
func SeenCalls() (uint64, bool) { panic(none) }
func SeenReset()                { panic(none) }
func SeenLatest([]uint32)       { panic(none) }
func SeenTake([]uint32)         { panic(none) }

func SeenOnTests(func(string), func(uint8, string)) { panic(none) }

// A Guess is how many calls of a site nobody counted.
type Guess struct {
	Calls, Windows uint64
	Squares, Most  float64
}

// A Sum adds up the calls of a site.
type Sum struct {
	Calls, Ended, Total, Inner, Self, Least, Most, Panics, Errors, Untimed uint64
	Guess                                                                  Guess
	Gaps                                                                   bool
	Off
}

// An Open adds up calls of a site that are in progress.
type Open struct {
	Total, Inner, Self, Least, Most, Panics uint64
	Ended                                   Sum
	Off
}

// An Off is how long the goroutines of calls did not run.
type Off struct{ Runnable, Waiting, SelfRunnable, SelfWaiting uint64 }

// A Path is a node of paths.
type Path struct {
	Parent, Site uint32
	Own          PathSum
	Other        PathSum
	Sample       Sample
}

// A Sample adds up samples of a path.
type Sample struct {
	Calls, Total, Self, After, Panics, Errors uint64
	Least, Most                               uint64
}

// A PathSum adds up calls of a path.
type PathSum struct{ Calls, Open, Self, Panics, Errors uint64 }

// An Object counts heap objects of a type that one function made.
type Object struct {
	Type           unsafe.Pointer
	Other, Own     bool
	Site, Node     uint32
	Objects, Bytes uint64
}

const (
	ObjectsCounted  = 1
	ObjectsRecorded = 2
)

func Objects(uint32, bool)                                            { panic(none) }
func ObjectCounts(func(Object))                                       { panic(none) }
func OpenCalls([]Open, []Path) uint64                                 { panic(none) }
func Paths(bool)                                                      { panic(none) }
func Sampling(uint64)                                                 { panic(none) }
func SampleWaits() bool                                               { panic(none) }
func Thread(int) (uint64, bool)                                       { panic(none) }
func SampleCost() (calls, ticks, floor uint64)                        { panic(none) }
func PathNodes() int                                                  { panic(none) }
func Histograms(bool)                                                 { panic(none) }
func Sites() uint32                                                   { panic(none) }
func SumOf(uint32) Sum                                                { panic(none) }
func HistogramOf(uint32, func(from, width uint64, counts [32]uint64)) { panic(none) }

func TimedGoroutines() uint64 { panic(none) }
func GoLast(func())           { panic(none) }
func Await(int64) bool        { panic(none) }
func Said()                   { panic(none) }
func BeforeExec(func())       { panic(none) }
