// Package build prepares instrumented builds. It selects functions, rewrites them, and collects
// everything that the go command needs to build the program from the rewritten files.
//
//	go env, go list --> packages --select--> units of files --rewrite--> cache
//	cache, patched runtime, go.mod --> overlay --> flags for go build, go test
//
// Nothing is ever written below the user's modules.
package build
