package calltree

// Flags tell how a call ended.
type Flags uint8

const (
	Panicked  Flags = 1 << iota // a panic ended the call, or the call recovered it
	Recovered                   // the call recovered a panic; it has Panicked too
	Exited                      // runtime.Goexit ended the call
	Open                        // the end of the recording, or of the window, came first
	Cut                         // its end was not recorded; it is over since End at the latest
	Failed                      // it returned an error
	Info                        // it is one of an info function: it took no time, and nobody was told when it began
	Past                        // the recording goes on after the window's end, which came first; it has Open too
)

// A Call is one call that has ended.
type Call struct {
	Goroutine  uint64
	Site       uint32
	Depth      int    // 0 for a root call
	Start, End uint64 // clock, within the window
	Began      uint64 // clock; before Start if that was before the window
	Self       uint64 // ticks within the window that were not spent in calls made by this one
	Flags      Flags

	// What was recorded of values, encoded; see package value. Valid like the Call.
	Args    []byte // when it begins; when it ends if it has Info
	Results []byte // when it ends
	Panic   []byte // when it ends: the value of the panic that ended it or that it recovered
}
