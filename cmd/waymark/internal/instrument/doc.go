// Package instrument rewrites the functions of a Go package so that each call
// of them can be observed. It is pure: sources go in, and rewritten sources, a
// site table and a list of all functions with the decision about each come
// out. It runs no commands and touches no files.
//
// # What is inserted
//
// Each instrumented function gets a site, an element of its package's table
// of words that are 0 while the site is off. The function reads its word once,
// at the start, and enters and exits or does neither:
//
//	func F(a int) (wm_r0 int) { _ = wm_reg; wm_f := wm_rt.WMFrame(wm_sites[3]); if wm_f != 0 { wm_f = wm_rt.WMEnter(wm_rt.WMSite(wm_f)) };
//		if a == 0 {
//			{ if wm_f != 0 { wm_rt.WMExit(wm_f) }; return a }
//		}
//		{ wm_r0 = G(a) + 1; if wm_f != 0 { wm_rt.WMExit(wm_f) }; return }
//	}
//
// There is an exit at each return and, where control can reach it, at the end
// of the body. What a return computes is computed before the exit, because
// that takes time, may panic and may call functions, and all that belongs to
// the call. So it is assigned to the results, which get names for that. An
// assignment to a result has exactly the rules of a return: the same
// conversions, types of constants and shifts, and inference for generic
// functions. The declaration of new variables would have others.
//
// Where that can't be done, the exit is reported by a deferred call, which is
// registered first and so runs last:
//
//	func F() (err error) { _ = wm_reg; if wm_s := wm_sites[3]; wm_s != 0 { if wm_f := wm_rt.WMEnter(wm_s); wm_f != 0 { defer wm_rt.WMExit(wm_f) } };
//
// This costs more, and is for functions
//
//   - with a defer of their own, for what is deferred is part of the call;
//   - with a named result that is shadowed at a return that computes something;
//   - with a return in a range-over-func loop, after which the iterator runs
//     on: a call must not end before those that it made;
//   - with a return that has too many or too few results, which must stay for
//     the compiler to complain about.
//
// Where values are to be recorded, the hooks get them as further arguments, all of
// them in the branch that is taken when the site is on: WMEnterArgs the receiver and
// the parameters, WMExitResults the results, WMExitDeferred pointers to them, for they
// aren't there yet when it is deferred. Up to four integers of predeclared types go to
// WMEnterInts and WMExitInts. What has no name gets one, and what looks like a secret
// stays behind. The assignment to the results is then made at every return.
//
// Each group of files also gets a generated file that holds the table and
// registers it with the runtime when the package is initialised. The blank
// assignment in each function costs nothing at run time, but makes the
// registration a dependency of every variable whose initialiser calls the
// function, so that Go's rules for the order of initialisation put it first.
// The name of the generated file sorts before those of the other files, so
// that those rules keep the order of all other variables.
//
// # What must hold
//
//   - Every token of the user stays on its line, and so positions in stack
//     traces, in panics and in the debugger stay what they were. Text is
//     inserted, never printed from the tree; comments and directives aren't
//     touched.
//   - No call gets another stack frame: recover and the arguments of
//     runtime.Caller mean what they did.
//   - The names that are inserted begin with a prefix that no word of the
//     folder has. The inserted code uses these names and literals only, never
//     a predeclared name, which the program may have given another meaning.
//   - What compiles still does. What doesn't, doesn't, though the columns and
//     some words of the compiler's message may differ; to show the user the
//     right ones, compile the original. A file with syntax errors stays as
//     it is.
//   - A function's name in the table is that which runtime.FuncForPC gives.
//   - Rewriting a second time changes nothing. A file that waymark has rewritten is
//     known by the import that it has on the line of the package clause.
//   - The same input gives the same bytes.
//
// # What is never rewritten
//
// Functions without a body; functions named _, which nothing can call;
// functions with directives that forbid growing the stack or write barriers
// (//go:nosplit, //go:systemstack and their like), since the hooks may do
// both; and what the cgo command has generated. So are the few functions of
// the standard library that run while the world is stopped, on the system
// stack, or between fork and exec. Packages that package runtime imports can't
// import it; to leave them out is up to the caller.
//
// # Tiny functions
//
// A tiny function is one that the compiler would inline. Two calls put it out
// of the compiler's reach, and the loss of inlining costs more than the check
// whether a site is on, so tiny functions are left out unless they are asked
// for. Functions that only the runtime calls, main and init, are never tiny, nor
// are those that may take long: that wait, or call others in a loop.
//
// The compiler inlines a function of up to 80 nodes. Most nodes of its tree
// count one: names, literals, operators, statements. The declaration of a
// variable counts two more; a conversion that changes no bits, nothing; a
// function literal, 16; a call, 58 and its arguments, unless the callee is
// itself inlined, which adds the callee's cost instead of 57. A go or defer
// statement, a call of recover or a directive such as //go:noinline forbids
// inlining, whatever the cost.
//
// The estimate follows these rules (see cmd/compile/internal/inline) on the
// syntax tree and on types as far as they are known. Calls of the same
// package's functions are resolved; what those of the standard library cost is
// known from package stdlib; those of other modules' are taken to be not inlined.
// On seven packages of the standard library (2496 functions; TestCalibration) it
// puts 99.7 % of the functions on the side of the budget where the compiler puts
// them: 1 is left out that isn't inlined, 6 are instrumented that are. On four
// modules of others (3717 functions) it is wrong about 1, on modules that call
// each other (1734 functions) about 16.
//
// # Types
//
// The files are type-checked with whatever is known of the packages that they
// import, by default the standard library. This is for the estimate of costs, for the order
// of initialisation, which numbers the function literals in it, and to tell
// loops over functions from others. Nothing relies on types for its
// correctness but names: a range clause over something unknown is taken to be
// over a function, which costs a deferred exit.
//
// # Limits
//
// Function literals are counted as the compiler counts them, which skips code
// that constants make dead. The count may be off where it depends on a
// constant of an imported package, or on whether a range clause over something
// unknown is over a function (Go 1.27 and later); and behind a method value or
// an instantiated function in generic code, for which the compiler makes
// literals of its own. In the go command itself, the names of 3 literals of
// 1160 are wrong (TestNames). When a function that isn't instrumented is
// inlined, the literals in it run under longer names, too.
//
// A function with defers is slower by more than the check if another defer
// is more than the compiler can keep in line: over 8 of them, or over 15 when
// multiplied by the number of returns.
package instrument
