// Package capture says how the arguments and results of a program's functions are copied while a call is there, and makes
// values of what was copied.
//
//	types, err := capture.Open(im, words)
//	s, err := types.Of(im.Named("main.handle"), limits)
//	data := s.Args.Values(copied, memory) // as package format has them
//
// Types come from DWARF. Where values are is by the rules of ABIInternal, which the functions of a release obey: a program
// whose rules aren't known is none that can be patched. Package trampoline makes code of a Plan.
package capture
