package waymark

import "github.com/waymark-go/waymark/internal/agent"

// ErrNoWindow is what Dump gives if no flight recorder is running: in a program
// built by plain `go build`, in one that isn't recording, and in one that records
// without overflow=ring, whose calls are all in the trace file anyway.
var ErrNoWindow = agent.ErrNoWindow

// ErrEmptyWindow is what the error of Dump wraps if the flight recorder holds no events: no
// function that is recorded has been called, or the program has overwritten all of them
// while Dump was reading.
var ErrEmptyWindow = agent.ErrEmptyWindow

// Dump writes what the flight recorder holds, the newest calls until now, to a trace
// file of its own, and gives the absolute path. Recording goes on: the next Dump
// writes what is the window then, to another file, whether or not the two overlap.
// Calls of other goroutines go on meanwhile; Dump returns when the file is complete.
//
// The files stand beside the trace file, and are numbered: waymark.dump1.wmt and so
// on, existing ones left alone. The trace file itself is for the end of the program.
//
// If there is an error there is no file. It is ErrNoWindow, wraps ErrEmptyWindow, or is what the
// operating system says to writing the file.
func Dump() (path string, err error) { return agent.Dump() }
