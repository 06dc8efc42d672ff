// Package recorder writes the events of the running program to a trace file.
//
// The hot path fills chunks of an arena, a file next to the trace file that is
// mapped shared. A background goroutine encodes full chunks, writes them out and
// gives them back. When the program ends by returning from main or by os.Exit,
// what is left is written and the arena removed. When it is killed, the arena
// stays and the first reader of the trace file (package tracefile) completes it.
//
// A chunk is given back only after its block has been written, so that at any
// moment every event is in one of the two files. It may be in both: readers tell
// by the chunk's sequence number.
//
// A program makes any number of recordings, one after the other, see program.go.
//
// With overflow ring the oldest chunks are overwritten instead, and nothing is written
// to the trace file until the program ends, see ring.go. A recording may be rotated,
// one file after the other, see part.go.
//
// No failure changes what the program does: a line on stderr says what has failed, and the
// recording ends.
package recorder
