// Package truth counts the calls of a program by recording, by other means than the recordings.
// Recordings begin and end only while all other goroutines wait, so the counts are exact.
package truth

import "sync"

// A Recording is what a recording should hold.
type Recording struct {
	Path      string
	Dump      string            // written by Dump; empty if nothing was dumped
	Calls     map[string]uint64 // by function
	Open      map[string]uint64 // of these, calls that had not ended when the recording did
	Unmatched uint64            // calls that began in an earlier recording and ended in this one
}

var (
	mu         sync.Mutex
	recordings []*Recording
	current    int // number of the recording, 0 if none is going on
)

// Begin begins the next recording.
func Begin(path string) *Recording {
	mu.Lock()
	defer mu.Unlock()
	r := &Recording{Path: path, Calls: make(map[string]uint64), Open: make(map[string]uint64)}
	recordings = append(recordings, r)
	current = len(recordings)
	return r
}

// End ends the recording that is going on.
func End() {
	mu.Lock()
	defer mu.Unlock()
	current = 0
}

// All returns all recordings.
func All() []*Recording { return recordings }

// Enter counts a call, and returns the recording that it begins in.
func Enter(name string) (began int) {
	mu.Lock()
	defer mu.Unlock()
	if current > 0 {
		r := recordings[current-1]
		r.Calls[name]++
		r.Open[name]++
	}
	return current
}

// Exit counts the end of a call.
func Exit(name string, began int) {
	mu.Lock()
	defer mu.Unlock()
	if Unwound(name, began); began > 0 && current > 0 && began != current {
		recordings[current-1].Unmatched++
	}
}

// Unwound is Exit for a call that a panic has left: there is no event of its end. The lock is held, or
// no other goroutine runs.
func Unwound(name string, began int) {
	if began > 0 && began == current {
		recordings[began-1].Open[name]--
	}
}
