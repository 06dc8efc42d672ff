// Package expression compiles conditions on calls, as the user writes them behind --if, into the
// programs of the library's package condition.
//
//	p, err := expression.Compile(`args.n > 10 && duration > 10ms`, &signature)
//	encoded := p.Append(nil)
//
// The language is that of Go's expressions, see docs/conditions.md. Package go/parser parses it; of
// durations such as 10ms a mark is made before. What is known of a function's arguments and results is
// checked here. What is not, the program checks when it binds the condition to a call's values.
package expression
