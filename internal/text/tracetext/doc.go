// Package tracetext prints traces for people: a list of them, and the calls of one. The command
// prints the traces of recordings with it, and programs print their own.
package tracetext
