// Package lint has tests of the repository's text, and no code. They check that documents agree with
// the code, who imports whom, how long sentences are, and that all compiles elsewhere. They run no
// program that waymark builds.
//
// The package is in the command's module, because it asks the command for its flags. That module also
// has what else is needed to read YAML and to load packages.
//
//	go test -count=1 ./internal/lint
//
// Without -count=1 the go command may not see that files of other modules have changed.
package lint
