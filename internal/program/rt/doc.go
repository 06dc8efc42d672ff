// Package rt binds the library to the hooks that waymark adds to package
// runtime. In a program built by plain `go build` there are none: Enabled is
// false and nothing else may be called.
//
// The hooks are described where they are: in package toolchain of the command.
package rt
