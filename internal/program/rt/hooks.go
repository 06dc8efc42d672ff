//go:build waymark

package rt

import "runtime"

// Enabled tells whether the program was built with the hooks.
const Enabled = true

// A Package is a group of instrumented files with their sites.
type Package = runtime.WMPackage

// Packages calls f for each package registered so far, and for each that registers later.
func Packages(f func(*Package)) { runtime.WMPackages(f) }

// Register makes a package known that the program has made while it runs. Its functions are info
// functions, which Info reports.
func Register(p *Package) { runtime.WMRegister(p) }

// Info records a call of the i-th site of p with these values, in the trace of the calling goroutine,
// if such calls are recorded.
func Info(p *Package, i int, args ...any) {
	if p.Sites[i] != 0 {
		runtime.WMInfo(runtime.WMSite(p.Base+uint32(i)), args...)
	}
}

// ProbesOff has no USDT probe of a function fire any more.
func ProbesOff() { runtime.WMProbesOff() }

// An Overflow says what to do when no chunk is free.
type Overflow = runtime.WMOverflow

const (
	Block Overflow = runtime.WMBlock // wait for one
	Drop  Overflow = runtime.WMDrop  // drop the event and count it
	Ring  Overflow = runtime.WMRing  // overwrite the chunk that has been full for the longest
)

// SetClock chooses the clock of events and of timed calls, once, before the first of them: the
// processor's counter, else the monotonic clock.
func SetClock(counter bool) { runtime.WMSetClock(counter) }

// Start begins a recording into arena, which must stay mapped until Retire, and returns the number
// of the recording. The recording before has ended. The clock has been set.
func Start(arena []byte, o Overflow) (recording uint32) { return runtime.WMStart(arena, o) }

// Waits turns the recording of goroutine states on or off, before Start: when goroutines run, are ready
// and wait.
func Waits(on bool) { runtime.WMWaits(on) }

// WaitTimes says that somebody wants it added up how long the goroutines of timed calls don't run, or
// doesn't any more. The program stands still for it.
func WaitTimes(on bool) { runtime.WMWaitTimes(on) }

// Retire forgets the arena of a recording that has ended, and reports whether the arena may be
// unmapped. The program stands still meanwhile.
func Retire() bool { return runtime.WMRetire() }

// Secure reports whether the program runs with more rights than its caller, as setuid, setgid and
// file capabilities give them.
func Secure() bool { return runtime.WMSecure() }

// Capture says what is recorded of values. It is called before Start, or while a package registers that
// asks for more and whose sites are still off. Structs, slices and pointers are followed to depth; bytes
// limits each value. Fields are masked whose names look like one of the words in redact.
func Capture(args, results, panics bool, depth, bytes int, redact []string) {
	runtime.WMCapture(args, results, panics, depth, bytes, redact)
}

// Hide has values of panics not recorded any more, and if that is wanted arguments and results
// neither.
func Hide(values bool) { runtime.WMHide(values) }

// Stringer sets a function that gives the text of a value, where functions were
// instrumented for it. It runs on the goroutine whose call is recorded.
func Stringer(f func(any) (string, bool)) { runtime.WMStringer(f) }

// Stop ends recording. Until Retire, calls in progress may write their exits into the arena.
func Stop() { runtime.WMStop() }

// Take gives the index of the oldest full chunk, -1 if there is none.
func Take() int { return runtime.WMTake() }

// Wait waits until a chunk is full, or more are wanted, and reports whether the recording of that
// number goes on.
func Wait(recording uint32) bool { return runtime.WMWait(recording) }

// Pace has the writer woken when a chunk is full and so many ticks have passed since it was last
// woken. With 0 it is woken when there is enough to do. Start sets it to 0.
func Pace(ticks uint64) { runtime.WMPace(ticks) }

// Pause waits for ns nanoseconds, or until Unpause is called for word, which may be nil. It does not
// wait if word has another value. It sets no timer. While it waits a deadlock is found, unless the
// program may wait for what the caller does next, which awaited says. It returns false at once where
// there are no threads. Only system goroutines call it.
func Pause(ns int64, word *uint32, value uint32, awaited bool) bool {
	return runtime.WMPause(ns, word, value, awaited)
}

// LikeOthers has the calling goroutine, of Go, wait for its turns as the program's do: it runs the program's code.
func LikeOthers() { runtime.WMLikeOthers() }

// Turn returns the same number until the calling goroutine gives up its P, or another goroutine has had a slice of time
// with that: then its thread may have run others.
func Turn() uint64 { return runtime.WMTurn() }

// Unpause ends the pauses that wait for word, whose value has changed.
func Unpause(word *uint32) { runtime.WMUnpause(word) }

// Ready waits until the descriptor can be read, or written, at most ns nanoseconds, or without an
// end if ns is negative. It waits on a thread that does not keep a deadlock from being found. With
// a negative fd it only waits. It returns 1 if the descriptor is ready or has failed, and 0 if
// time is over or a signal came. It returns -1 where nobody can wait like that. Only system
// goroutines call it.
func Ready(fd int32, write bool, ns int64) int32 { return runtime.WMReady(fd, write, ns) }

// Counts adds, by site, the calls that were counted since the program began to counted, and those
// that were timed to timed. Sites beyond the slices are left out.
func Counts(counted, timed []uint64) { runtime.WMCounts(counted, timed) }

// Reserve notes that waymark keeps so many bytes more in the program's heap, or fewer if they are negative. A heap that
// is small isn't collected more often for it.
func Reserve(bytes int) { runtime.WMReserve(bytes) }

// A Guess is how many calls of a site nobody counted, see estimate.Guess.
type Guess = runtime.WMGuess

// Estimate adds to what is known of a site's calls that nobody counted. Counts and sums have them among those that
// were counted. Only one goroutine may call it at a time.
func Estimate(site uint32, more Guess) { runtime.WMEstimate(site, more) }

// GuessOf returns what is known of a site's calls that nobody counted; false: all were counted.
func GuessOf(site uint32) (Guess, bool) { return runtime.WMGuessOf(site) }

// ValueTimes returns how many ticks it took to write the values of some events, with one reading of
// the clock each. It also returns how many events and bytes these were. It is all 0 if the clock
// isn't the processor's counter. All are sums since the program began.
func ValueTimes() (events, bytes, ticks uint64) { return runtime.WMValueTimes() }

// Free gives chunk i back, or for the first time.
func Free(i int) { runtime.WMFree(i) }

// Queue tells how many chunks are free and how many are full.
func Queue() (free, full int) { return runtime.WMQueue() }

// Broken tells whether memory of the arena could not be read or written. Then it has been replaced
// by empty memory, and nothing is recorded any more.
func Broken() bool { return runtime.WMBroken() }

// Held gives the number of records in chunks that have not been freed, as far as it can be told
// without looking at the arena. It is not smaller than that of their events.
func Held() uint64 { return runtime.WMHeld() }

// Lost gives the number of events dropped since the last chunk of each stream began.
func Lost() uint64 { return runtime.WMLost() }

// Mute makes the calling goroutine invisible, or visible again.
func Mute(on bool) { runtime.WMMute(on) }

// Go runs f on a system goroutine, whose calls are not traced.
func Go(f func()) { runtime.WMGo(f) }

// Finish runs f on a system goroutine, waits for it, and reports whether f has returned. After each
// pause, in ns, it calls wait, and gives up if that returns false. The calling goroutine may be in
// a bubble of testing/synctest.
func Finish(f func(), pause int64, wait func() bool) bool { return runtime.WMFinish(f, pause, wait) }

// AtExit has f called when the program ends by os.Exit or by returning from main. What f calls is
// not traced.
func AtExit(f func()) {
	runtime.WMAtExit(func() {
		Mute(true)
		defer Mute(false)
		f()
	})
}

// OnTests has binary called with the import path of the package whose tests the go command runs. It
// has test called for what happens to each test, on the test's goroutine, which is muted meanwhile.
// alarm is asked how long package testing has to wait until the tests have run too long, when they
// have run for so many ns. A negative answer is that nothing is known.
func OnTests(binary func(importPath string), test func(state uint8, name, text string, goroutine, clock uint64), alarm func(elapsed int64) (left int64)) {
	runtime.WMOnTests(binary, test, alarm)
}

// A Monitor is what is told of the calls of watched sites.
type Monitor = runtime.WMMonitor

// An Event is what comes with an event that the monitor is told: the goroutine, a place for the
// monitor, and the arguments or results.
type Event = runtime.WMEvent

// EventOf returns an event with these values, for tests.
func EventOf(values []any) *Event { return runtime.WMEventOf(values) }

// Masked stands for a value that must not be seen.
type Masked = runtime.WMMasked

// SetMonitor sets what is called, before the first site is watched.
func SetMonitor(m Monitor) { runtime.WMSetMonitor(m) }

// Late tells the monitor, while its Exit runs, how many ns ago the call ended. That is 0, but where
// the goroutine must not wait, as in sync.Pool.
func Late() int64 { return runtime.WMLate() }

// Unreported gives the number of calls whose beginning or end was not reported to the monitor,
// because the goroutine must not wait where it happened.
func Unreported() uint64 { return runtime.WMUnreported() }

// What Want can want of a site. Timed calls are counted, too.
const (
	Recorded = runtime.WMRecorded
	Watched  = runtime.WMWatched
	Counted  = runtime.WMCounted
	Timed    = runtime.WMTimed
	Unvalued = runtime.WMUnvalued // with Recorded: without arguments and results
	Long     = runtime.WMLong     // with Counted: calls that take long are recorded, at their end
	Gathered = runtime.WMGathered // calls are gathered if their goroutine is in a trace
	Root     = runtime.WMRoot     // with Gathered: calls begin a trace if their goroutine is in none
	Values   = runtime.WMValues   // with Gathered: with arguments and results, unless Unvalued
	Seen     = runtime.WMSeen     // the first call is noted, see SeenStart
)

// Want sets all that is done with calls of the i-th site of p, in one store.
func Want(p *Package, i int, flags uint32) { runtime.WMWant(p, i, flags) }

// OnBind has f called for each package whose groups are known, and for those whose groups become
// known later.
func OnBind(f func(*Package)) { runtime.WMOnBind(f) }

// Linked reports whether the program has the package of that path, which has something to
// initialise.
func Linked(path string) bool { return runtime.WMLinked(path) }

// Goroutine gives the id of the calling goroutine.
func Goroutine() uint64 { return runtime.WMGoroutine() }

// Clock reads the events' clock, in ticks, and the monotonic clock, in ns.
func Clock() (clock uint64, mono int64) { return runtime.WMClock() }

// Counter describes the processor's counter. name is tsc or cntvct, and empty if there is none.
// constant says whether the processor says that the counter counts at a constant rate. hz is the
// rate in ticks per second, 0 if the processor doesn't say.
func Counter() (name string, constant bool, hz uint64) { return runtime.WMCounter() }

// Floor reads the processor's counter 2*n times, or the monotonic clock where there
// is none: what n traced calls can't cost less than.
func Floor(n int) uint64 { return runtime.WMFloor(n) }

// Histograms says whether histograms are kept of timed calls.
func Histograms(on bool) { runtime.WMHistograms(on) }

// Sites gives the number above all ids of sites.
func Sites() uint32 { return runtime.WMSites() }

// A Sum adds up the calls of a site. Times are in ticks.
type Sum = runtime.WMSum

// SumOf gives what is known of the calls of a site that were counted.
func SumOf(site uint32) Sum { return runtime.WMSumOf(site) }

// An Open adds up calls of a site that are in progress.
type Open = runtime.WMOpen

// An Off is how long the goroutines of calls did not run, in ticks.
type Off = runtime.WMOff

// OpenCalls adds to open, by site, what calls in progress have taken until now, which it returns. To
// paths it stores the sums of paths, by node, with calls in progress. The program stands still for
// that.
func OpenCalls(open []Open, paths []Path) (clock uint64) { return runtime.WMOpenCalls(open, paths) }

// Paths says whether timed calls are added up by path, too.
func Paths(on bool) { runtime.WMPaths(on) }

// Sampling begins a window of so many ticks, or ends it if ticks is 0. In a window calls that a budget has
// counted are timed or recorded. Want says so for each site afterwards: with the window's group, from 1 to format.SampleGroups, above the
// bits of ids.
func Sampling(ticks uint64) { runtime.WMSampling(ticks) }

// SampleWaits reports whether there was no sample and no event since the latest window began though there are
// goroutines to run.
func SampleWaits() bool { return runtime.WMSampleWaits() }

// Thread returns the id that the system has for the thread that runs P number i; 0: none does. It reports false if there
// is no such P.
func Thread(i int) (id uint64, ok bool) { return runtime.WMThread(i) }

// SampleCost returns how many samples of timed calls there were since the program began, and how
// long their hooks took, in ticks. floor is how much the hooks would have added to each sample. It
// has been subtracted.
func SampleCost() (calls, ticks, floor uint64) { return runtime.WMSampleCost() }

// PathNodes gives the number above all nodes of paths; 0 if paths were never kept.
func PathNodes() int { return runtime.WMPathNodes() }

// A Path is a node: calls of a site, made by calls of the node Parent. If Parent is 0 they are the
// first calls of goroutines.
type Path = runtime.WMPath

// A Sample adds up samples of a path. Times are in ticks.
type Sample = runtime.WMSample

// A PathSum adds up calls of a path. Times are in ticks.
type PathSum = runtime.WMPathSum

// Who wants heap objects to be counted.
const (
	ObjectsCounted  = runtime.WMObjectsCounted  // by type and maker
	ObjectsRecorded = runtime.WMObjectsRecorded // in events, too
)

// Objects says whether one of these wants it. The program stands still for it.
func Objects(user uint32, wanted bool) { runtime.WMObjects(user, wanted) }

// An Object counts heap objects of a type that one function made, on one path if paths are kept.
type Object = runtime.WMObject

// ObjectCounts calls f for each type and maker, on each of the scheduler's processors.
func ObjectCounts(f func(Object)) { runtime.WMObjectCounts(f) }

// HistogramOf calls f for each line of a site's histogram in which something was counted, in
// ascending order. counts[i] calls took from + i*width ticks, and less than width more.
func HistogramOf(site uint32, f func(from, width uint64, counts [32]uint64)) {
	runtime.WMHistogramOf(site, f)
}

// TimedGoroutines gives the number of goroutines that made timed calls.
func TimedGoroutines() uint64 { return runtime.WMTimedGoroutines() }

// GoLast runs f on a system goroutine. It calls Await again and again until the program ends.
func GoLast(f func()) { runtime.WMGoLast(f) }

// Await waits until d ns are over, or without an end if d is negative, and tells whether the
// program is about to end. Only what GoLast runs calls it. It says its last words then, and calls
// Said.
func Await(d int64) (ending bool) { return runtime.WMAwait(d) }

// Said lets the program end.
func Said() { runtime.WMSaid() }

// BeforeExec has f called before another program takes this one's place in the process, which may
// still fail.
func BeforeExec(f func()) { runtime.WMBeforeExec(f) }

// SeenStart has first calls noted in memory, which must stay mapped. Call it before the first site
// is wanted for that. Bit i of the first half says that the site i is wanted, of the second half
// that it was called. Sites beyond a half are not noted.
func SeenStart(memory []byte) { runtime.WMSeenStart(memory) }

// SeenCalls gives the number of first calls that were noted, and whether that failed, as the memory
// could not be reached.
func SeenCalls() (calls uint64, broken bool) { return runtime.WMSeenCalls() }

// SeenReset has the next call of each site that is wanted noted again. Bits stay.
func SeenReset() { runtime.WMSeenReset() }

// SeenOnTests has binary called with the import path of the package whose tests the go command
// runs. It has test called for what happens to each test, on the test's goroutine.
func SeenOnTests(binary func(importPath string), test func(state uint8, name string)) {
	runtime.WMSeenOnTests(binary, test)
}

// SeenLatest has first calls noted in bits, too, by site, 32 in each: room for as many sites as in
// SeenStart's memory. The slice must stay reachable.
func SeenLatest(bits []uint32) { runtime.WMSeenLatest(bits) }

// SeenTake moves these bits to a slice, as many as there is room for.
func SeenTake(to []uint32) { runtime.WMSeenTake(to) }
