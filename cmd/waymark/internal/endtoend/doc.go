// Package endtoend has the tests of the whole command, and no code. They run waymark as users do, with
// the real go command, and run the programs that it builds. The command is the test binary itself.
//
// TestScripts runs the scripts of testdata/script, one for each behaviour. Other tests build a program
// in a folder of testdata that knows what it does, and compare that with what waymark says.
//
//	go test -run 'TestScripts/modules$' ./internal/endtoend
//
// docs/dev/testing.md in the repository lists the tests and their flags.
package endtoend
