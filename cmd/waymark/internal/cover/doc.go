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
// What counts as a block, with which lines and columns and how many statements, comes
// from the user's own text. So a profile is that of a plain build. What the compiler gets
// is that text with the insertions of both, cover's and waymark's. To find out where
// cover's go, the tool runs again, on the user's text with comments at the places of
// waymark's edits: cover keeps comments and inserts text, so the comments show where in
// its result these places are. Without the comments both results must be the same; if
// they are not the build fails, instead of counting wrong.
//
// The go command asks each tool for its version, to distinguish cached results of one from those
// of another. Here cover is another tool than without this command, all others are the same.
package cover
