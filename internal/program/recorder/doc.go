// Package recorder writes the events of the running program to a trace file.
//
//	r, err := recorder.Start(recorder.Config{Path: "app.wmt", Packages: packages})
//	...
//	err = r.Close()
//
// The hot path fills chunks of an arena, a file next to the trace file that is mapped shared. A
// background goroutine encodes full chunks, writes them and frees them. When the program ends by
// returning from main or by os.Exit, the recorder writes what is left and removes the arena. When
// the program is killed, the arena stays, and the first reader of the trace file (package
// tracefile) completes the file.
//
// A chunk is freed only after its block has been written, so every event is in one of the two files
// at any moment. An event may be in both: readers know by the chunk's sequence number.
//
// A program makes any number of recordings, one after the other, see program.go.
//
// With overflow ring the hot path overwrites the oldest chunks, and nothing is written to the trace
// file until the program ends, see ring.go. A recording may be rotated, one file after the other,
// see part.go.
//
// No failure changes what the program does: a line on stderr says what has failed, and the
// recording ends.
package recorder
