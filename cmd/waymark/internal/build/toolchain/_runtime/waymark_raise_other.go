//go:build !unix

package runtime

// Signals aren't held back here.

func wmRaise(sig uint32) {}

func wmDie(sig uint32) {}
