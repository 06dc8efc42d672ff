// Package notes puts USDT notes into the file of a program, when the program has been linked. The
// tables of package probetable in the program's data say which probes there are.
//
//	n, err := notes.Add("/tmp/app") // the number of probes that bpftrace -l 'usdt:/tmp/app:*' lists
//
// The go command calls this command in place of each of its tools, by its flag -toolexec:
//
//	go build -overlay=O -toolexec='waymark linked 0' .
//	    ↳ waymark linked 0 …/link -o a.out …
//	        ↳ …/link -o a.out …           links the program
//	        (adds the notes to a.out)
//	    ↳ waymark linked 0 …/compile …    as if called without
//
// So the notes are in what the go command puts into its cache, runs as a test, or writes to where
// -o says. The same input makes the same bytes. The go command asks each tool for its version, to
// distinguish cached results of one from those of another. Here link is another tool than without
// this command, all others are the same.
//
// # What is added
//
// Add adds sections at the end of the file, and section headers that replace the old ones. The
// segments, and with them what the kernel maps, stay as they are. In the program's data only the
// numbers of locations are set.
//
//	.note.stapsdt     the notes, see package usdt
//	.stapsdt.base     the address that notes name as their base: the beginning of the text, empty
//	.probes           where semaphores are: at the beginning of the section .noptrdata, empty
//	.waymark.probes   what notes can't hold: functions, and names and types of arguments
package notes
