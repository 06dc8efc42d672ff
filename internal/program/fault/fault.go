// Package fault holds the errors that several public packages have in common. Each package gives
// them to its users under the same names. So one errors.Is finds the errors of all packages.
//
//	var ErrNotBuilt = fault.ErrNotBuilt // in package waymark and in package stats
package fault

import "errors"

var (
	// ErrNotBuilt says that the program has no hooks: plain Go has built it.
	ErrNotBuilt = errors.New("the program was not built by waymark: build it with `waymark build`")

	// ErrName says that a name can't be used.
	ErrName = errors.New("the name can't be used")

	// ErrDuplicate says that a name is in use already.
	ErrDuplicate = errors.New("the name is in use")

	// ErrUnknown says that nothing has a name.
	ErrUnknown = errors.New("nothing has the name")

	// ErrCycle says that a group would contain itself.
	ErrCycle = errors.New("would contain itself")

	// ErrRecording says that a recording is going on, besides which there can be no other one.
	ErrRecording = errors.New("a recording is going on already: close it first")

	// ErrNoWindow says that there is no flight recorder to dump.
	ErrNoWindow = errors.New("no flight recorder is running: build the program with waymark, and run it with WAYMARK=record,overflow=ring")

	// ErrEmptyWindow says that there is nothing in the flight recorder that could be dumped.
	ErrEmptyWindow = errors.New("the flight recorder's window is empty")

	// ErrNil says that an argument is nil that must not be nil.
	ErrNil = errors.New("is nil")
)
