// Package patch has functions of a running Go program tell of their calls, whoever built the program: it
// replaces some bytes at their beginnings and ends by jumps to code that writes events to memory which the
// program and this process share. What it has changed it changes back.
//
//	t, err := patch.Attach(4711, false)
//	defer t.Close()
//	report, err := t.Want(functions)
//	for t.Drain(true, add) {
//	}
//
// Only programs for linux/amd64 can be patched. Calls that the compiler has inlined are no calls any more: they
// are not seen.
package patch
