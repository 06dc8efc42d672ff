// Package plain starts goroutines. It is not instrumented.
package plain

// Go calls f on a goroutine that a goroutine starts, neither of which has an instrumented function
// before f.
func Go(f func()) {
	go func() { go f() }()
}
