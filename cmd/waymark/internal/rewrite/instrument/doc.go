// Package instrument plans the rewriting of a Go package by which each call of its functions can be
// observed. It runs no commands and touches no files: sources go in, and edits come out.
//
//	a, err := instrument.Analyze(unit, &instrument.Options{Closures: true})
//	...
//	for _, f := range a.Funcs {
//		if f.Never == "" && f.Package == "example.com/m/p" {
//			f.Instrument, f.Args = true, true // the caller decides
//		}
//	}
//	plan, err := a.Plan()
//	...
//	for _, file := range plan.Files {
//		... // write what file.Text returns, if file.Edits isn't nil
//	}
//	... // encode plan.Sites and plan.Facility, and write what plan.Generate returns
//
// # What is inserted
//
// Each instrumented function gets a site, an element of its package's table of words that are 0
// while the site is off. The function reads its word once, at the start, and enters and exits or
// does neither:
//
//	func F(a int) (wm_r0 int) { _ = wm_reg; wm_f := wm_rt.WMFrame(wm_sites[3]);
//			if wm_f != 0 { if wm_rt.WMLight(wm_rt.WMSite(wm_f)) && wm_rt.WMDone(wm_rt.WMSite(wm_f)) {
//			wm_f = 0 } else { wm_f = wm_rt.WMEnter(wm_rt.WMSite(wm_f)) } };
//		if a == 0 {
//			{ if wm_f != 0 { wm_rt.WMExit(wm_f) }; return a }
//		}
//		{ wm_r0 = G(a) + 1; if wm_f != 0 { wm_rt.WMExit(wm_f) }; return }
//	}
//
// (There are no new lines really: the first three are one.) WMLight and WMDone are inlined. WMDone
// counts a call of which nothing else is wanted, and says whether no more is to be done. There is an
// exit at each return and, where control can reach it, at the end of the body. Where that can't be
// done, a deferred call reports the exit, which is registered first and so runs last:
//
//	func F() (err error) { _ = wm_reg; if wm_s := wm_sites[3]; wm_s != 0 && !(wm_rt.WMLight(wm_s) &&
//			wm_rt.WMDone(wm_s)) { if wm_f := wm_rt.WMEnter(wm_s); wm_f != 0 { defer wm_rt.WMExit(wm_f) } };
//
// Where values are to be recorded, the hooks get them as further arguments. They get them in the
// branch that is taken when WMValued, inlined too, says that somebody wants them. WMEnterArgs gets
// the receiver and the parameters. WMExitResults gets the results. WMExitDeferred gets pointers to
// the results, for they aren't there yet when the call is deferred. Up to four integers of
// predeclared types go to WMEnterInts and WMExitInts. What has no name gets one, and what looks
// like a secret stays behind. The assignment to the results is then made at every return. Package
// hook has the names of all hooks.
//
// Each unit also gets a generated file that holds the table and registers it with the runtime when
// the package is initialised.
//
// # Hazards
//
// What an edit could change in the program, and why it doesn't:
//
//   - Positions in stack traces, in panics and in the debugger. Every token of the user stays on
//     its line: text is inserted, never printed from the tree; comments and directives aren't
//     touched.
//   - Frames. No call gets another one, so that recover and the arguments of runtime.Caller mean
//     what they did.
//   - The time and the calls of a return. What a return computes takes time, may panic and may call
//     functions, and all that belongs to the call. So it is assigned to the results, which get
//     names for that, before the exit.
//   - Conversions. An assignment to a result has the rules of a return. These are the same
//     conversions, types of constants and shifts, and inference for generic functions. The
//     declaration of new variables would have others.
//   - A named result that is shadowed. A return that computes something can't assign to the result.
//     The exit is deferred.
//   - A defer of the function's own. What is deferred is part of the call. The exit is deferred.
//   - A return in a range-over-func loop. The iterator runs on after the return, and a call must
//     not end before those that it made. The exit is deferred.
//   - A return that has too many or too few results. It must stay for the compiler to complain
//     about. The exit is deferred.
//   - The cost of a deferred exit. It is more than that of the check if another defer is more than
//     the compiler can keep in line. The compiler can't keep over 8 of them in line, or over 15
//     when multiplied by the number of returns. There is no way around that.
//   - Function literals in inserted code. The compiler would count them in the names of all that
//     follow. There are none; results reach a deferred hook by their addresses.
//   - The order of initialisation. Functions may be called by initialisers before the registration.
//     The blank assignment of wm_reg costs nothing at run time. It makes the registration a
//     dependency of every variable whose initialiser calls the function, so that Go's rules put the
//     registration first. The generated file's name sorts before those of the other files, so that
//     those rules keep the order of all other variables.
//   - Names that the program has or has redefined. Inserted names begin with a prefix that no word
//     of the folder has. Inserted code uses these names and literals only, never a predeclared
//     name.
//   - Code that doesn't compile. It still doesn't, though the columns and some words of the
//     compiler's message may differ. To show the user the right ones, compile the original. A file
//     with syntax errors stays as it is.
//   - Rewriting a second time. It changes nothing: a file that waymark has rewritten is known by
//     the import that it has on the line of the package clause.
//   - Code that must not call the hooks. Package candidate knows it: "What is never rewritten".
//   - Inlining. A tiny function is one that the compiler would inline (package inlinecost). Two
//     calls put it out of the compiler's reach, and the loss of inlining costs more than the check
//     whether a site is on. So tiny functions are left out unless they are asked for. Functions
//     that only the runtime calls, main and init, are never tiny. Nor are those that may take long:
//     that wait, or call others in a loop.
//   - Names in the table. They are those that runtime.FuncForPC returns; package funcname has the
//     limits.
//
// The same input gives the same bytes.
package instrument
