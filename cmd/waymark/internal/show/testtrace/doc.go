// Package testtrace finds the calls of each test in the recording of a test binary,
// and prints them.
//
//	r := testtrace.Open(file)
//	if err := r.Read(); err != nil {
//		return err
//	}
//	for _, t := range r.Tests {
//		if t.Outcome == testtrace.Failed {
//			shown = append(shown, t)
//		}
//	}
//	return r.Print(w, shown, testtrace.Options{Lines: 100})
//
// # What belongs to a test
//
// Package testing, as waymark changes it, reports on which goroutine a test runs, from
// when to when. The test's are the calls on that goroutine between those times. In the
// same time, the calls on goroutines that it started are the test's, too, and those on
// goroutines that these started. A subtest has a goroutine of its own, and so have
// parallel tests: calls of a subtest are its own, not its parent's.
//
// A goroutine that calls no traced function leaves nothing in the recording, so there
// may be gaps between a goroutine and its test. For example, a connection of
// net/http/httptest is served by a goroutine that net/http started on another one. A
// goroutine whose parent is unknown belongs to the test that was running when its
// first call began, if it was the only one. If there were several, the goroutine
// belongs to none, and is counted.
package testtrace
