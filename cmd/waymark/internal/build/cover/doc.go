// Package cover lets rewritten packages be covered: the go command's -cover and its
// relatives. The go command passes to its tool cover the files that are on disk, not those
// of an overlay (golang/go#73802). So this command stands between the two, as the go
// command's -toolexec:
//
//	go build -cover -overlay=O -toolexec='waymark toolexec PLAN 0' .
//	    ↳ waymark toolexec PLAN 0 …/cover -mode=set … app.go 0-waymark.go
//	        ↳ …/cover -mode=set … app.go              counters and meta-data
//	        ↳ …/cover -mode=set … app.go with marks   where counters go beside waymark's code
//	        (writes app.go with counters and waymark's code, and 0-waymark.go as it is)
//	    ↳ waymark toolexec PLAN 0 …/compile …          as if called without
//
// The blocks, with their lines, columns and numbers of statements, come from the user's own text.
// So a profile is the same as that of a plain build. The compiler gets the user's text with the
// insertions of both cover and waymark.
//
// To find the places of cover's insertions, the tool runs again on the user's text with comments at
// the places of waymark's edits. The tool keeps comments and inserts text, so the comments show
// where these places are in its result. Without the comments both results must be the same. If they
// differ, the build fails instead of counting wrong.
//
// The go command asks each tool for its version, to distinguish cached results of one from those
// of another. Here cover is another tool than without this command, all others are the same.
package cover
