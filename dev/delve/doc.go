// Package delve compares the variables that waymark shows at the lines of plain Go programs with those
// that the debugger Delve shows there. The programs are Delve's own, with which it tests how it reads
// variables.
package delve
