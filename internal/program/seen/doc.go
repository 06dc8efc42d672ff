// Package seen notes which functions of the running program were ever called, in a file that survives
// every end of the program:
//
//	f, err := seen.Start("app.seen", seen.Facts("app"))
//	rt.Packages(f.Register)
//	// from now on the first calls of sites that the switchboard wants seen are in the file
//
// All processes of one build of the program share a file: their bits are at the same places. The
// hook of a first call sets its bit in the file's mapped memory before the function runs. So a kill
// of the process loses nothing. A crash of the machine loses what its kernel had not written yet.
package seen
