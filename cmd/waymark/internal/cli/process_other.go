//go:build !unix

package cli

import "os"

// forwarded are the signals that are passed on to the traced program: none. An
// interrupt reaches it from the console, and this command must only survive it.
var forwarded = []os.Signal{os.Interrupt}

// ending are those that end this command when the program has ended.
var ending = forwarded

// die ends this process.
func die(os.Signal) { os.Exit(exitFailed) }

// keepPipes does nothing: here writing to a pipe that nobody reads fails.
func keepPipes() {}

func fromTerminal(os.Signal) bool { return true }

// status returns the exit status for a program that ended with state.
func (e ended) status() int { return e.state.ExitCode() }
