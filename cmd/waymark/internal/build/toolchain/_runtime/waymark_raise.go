//go:build unix

package runtime

// wmRaise sends a signal to the program itself.
func wmRaise(sig uint32) { raiseproc(sig) }

// wmDie has the program die of a signal.
func wmDie(sig uint32) { dieFromSignal(sig) }
