//go:build waymark

package rt

import "runtime"

// Enabled tells whether the program was built with the hooks.
const Enabled = true

// A Package is a group of instrumented files with their sites.
type Package = runtime.WMPackage

// Packages calls f for each package registered so far, and for each that registers later.
func Packages(f func(*Package)) { runtime.WMPackages(f) }

// Switch switches the i-th site of p on or off.
func Switch(p *Package, i int, on bool) { runtime.WMSwitch(p, i, on) }

// An Overflow says what to do when no chunk is free.
type Overflow = runtime.WMOverflow

const (
	Block Overflow = runtime.WMBlock // wait for one
	Drop  Overflow = runtime.WMDrop  // drop the event and count it
	Ring  Overflow = runtime.WMRing  // overwrite the chunk that has been full for the longest
)

// Start begins recording into arena, which must stay mapped for ever.
func Start(arena []byte, o Overflow) { runtime.WMStart(arena, o) }

// Stop ends recording.
func Stop() { runtime.WMStop() }

// Take gives the index of the oldest full chunk, -1 if there is none.
func Take() int { return runtime.WMTake() }

// Wait waits until a chunk is full, or more are wanted, and tells whether recording goes on.
func Wait() bool { return runtime.WMWait() }

// Free gives chunk i back, or for the first time.
func Free(i int) { runtime.WMFree(i) }

// Queue tells how many chunks are free and how many are full.
func Queue() (free, full int) { return runtime.WMQueue() }

// Lost gives the number of events dropped since the last chunk of each stream began.
func Lost() uint64 { return runtime.WMLost() }

// Mute makes the calling goroutine invisible, or visible again.
func Mute(on bool) { runtime.WMMute(on) }

// Writer runs f on a system goroutine.
func Writer(f func()) { runtime.WMWriter(f) }

// AtExit has f called when the program ends by os.Exit or by returning from main.
func AtExit(f func()) { runtime.WMAtExit(f) }

// Clock reads the events' clock, in ticks, and the monotonic clock, in ns.
func Clock() (clock uint64, mono int64) { return runtime.WMClock() }

// UsesTSC tells whether the events' clock is the processor's time stamp counter.
func UsesTSC() bool { return runtime.WMUsesTSC() }

// Floor reads the events' clock 2*n times: what n traced calls can't cost less than.
func Floor(n int) uint64 { return runtime.WMFloor(n) }
