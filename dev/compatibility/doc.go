// Command compatibility runs the test suites of other people's modules, by go test and by waymark
// test with everything traced. It compares the outcomes test by test.
//
// A suite is a line of a list: a module at a version, then arguments for go test. The
// module is downloaded through the go command and copied to a folder where its tests
// may write. For each suite the command builds the tests plain and instrumented, which
// gives the build times. It runs them plain and traced, which gives the outcomes, the
// run times and the recordings. waymark info reads the recordings again, and must find
// nothing wrong.
//
// # What is the same
//
// Each test and subtest has an outcome: pass, fail, skip, or none where its name didn't come up.
// Suites aren't steady by themselves: tests depend on time, on map order, on each other. So tests
// whose outcomes differ are run again, several times plain and traced. Each time those that differ
// are run, and the tests that they are subtests of. A test is the same if the plain test had all
// the outcomes of the traced one. What is left differs. It is run once more: plain, but with so
// little of the CPU's time that it is as slow as with tracing. What fails then too is bound to
// time. A test that has passed traced as well is run plain many times: if it fails then it is as
// unsteady without waymark. What is left differs by a fault of waymark's, or for a reason to be
// explained.
//
// Results are kept in a folder, a JSON file for each suite; the table is made of those.
package main
