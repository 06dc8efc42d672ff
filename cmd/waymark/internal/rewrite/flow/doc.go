// Package flow finds out where control goes in functions, as the compiler sees it. It says which
// code is dead, what constants decide, whether control comes to the end of a list of statements,
// and which loops are over functions.
//
//	f := flow.Of(tree)
//	for _, stmt := range f.LiveStmts(fn.Body.List) {
//		... // the compiler reads no others
//	}
//
// The compiler drops code unread that stands behind a statement which ends its list, and code
// that constants decide against. Such code costs nothing, and the literals in it aren't counted.
// The rules are those of cmd/compile/internal/noder.writer. They see less than the language's rule
// for terminating statements, by which Terminates goes.
package flow
