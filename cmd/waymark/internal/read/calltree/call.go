package calltree

import "github.com/waymark-go/waymark/tracefile"

// Flags say how a call ended.
type Flags uint16

const (
	Panicked  Flags = 1 << iota // a panic ended the call, or the call recovered it
	Recovered                   // the call recovered a panic; it has Panicked too
	Exited                      // runtime.Goexit ended the call
	Open                        // the end of the recording, or of the window, came first
	Cut                         // its end was not recorded; it is over since End at the latest
	Failed                      // it returned an error
	Info                        // of an info function: it took no time, and OnEnter was not called
	Past                        // the window ended before the call; Open is set too
	Long                        // a counted call that took long: OnEnter was not called, Self is 0
	Unfolded                    // a counted call that took long, by an Unfolder
)

// A Wait is time in which a goroutine did not run.
type Wait struct {
	Reason tracefile.WaitReason
	Ready  uint64 // clock: from then on it had no processor
	Waker  uint64 // the goroutine that made it ready; 0 if it was none, or is unknown
}

// A Call is one call that has ended.
type Call struct {
	Goroutine  uint64
	Site       uint32
	Depth      int    // 0 for a root call
	Start, End uint64 // clock, within the window
	Began      uint64 // clock; before Start if that was before the window
	Self       uint64 // ticks within the window that were not spent in calls made by this one
	Flags      Flags
	Wait       *Wait // told to OnWait; else nil
	Off        *Offs // when it ends: of its time, that in which the goroutine did not run; nil if it always did
	Made       Made  // when it ends: the heap objects that it made itself within the window
	Recursive  bool  // a call of the same row is around it, whose total contains this one's

	// What was recorded of values, encoded; see package value. Valid like the Call.
	Args    []byte // when it begins; when it ends if it has Info
	Results []byte // when it ends
	Panic   []byte // when it ends: the value of the panic that ended it or that it recovered
}
