// Package affected says which tests a change can reach, and why. A map has for each test the
// functions that it called, with a hash of each. A state has the hashes of the sources as they are:
//
//	now, err := affected.Load(affected.Options{Env: env, Packages: packages})
//	for _, d := range m.Select(now, base) { // a Map, and the state of another revision
//		fmt.Println(d.Package, d.Test, d.Run, d.Why)
//	}
//	err = m.Add(now, runs) // what the tests that ran have called
//
// A test needs no run if all that its record depends on has the same hashes again. Records are never
// wrong for sources that they are not of: they don't match. What follows counts.
//
//   - Functions that the test called, as text without comments and layout, with all constants, types,
//     variables and uncalled-for functions that they refer to, directly or not.
//   - For all tests of a package: what ran before its first test, initialisation and TestMain; files
//     that are not Go; imports that can have effects; files and variables that its tests read.
//   - For all tests of a module: go.mod, the Go release, the platform, flags.
//   - What tests share: if a test that must run writes a package's variable, tests that use the
//     variable run, too.
//   - Tests that look at lines of the source depend on whole files, and tests that start programs on
//     all files.
package affected
