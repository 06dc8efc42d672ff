// Package gocmd runs the go command. It knows the environment, the flags, the packages of a build,
// and the overlay through which the go command builds rewritten files.
package gocmd
