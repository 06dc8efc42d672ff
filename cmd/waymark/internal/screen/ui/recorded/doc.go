// Package recorded answers the pages of waymark serve about recordings.
//
//	r := recorded.New(set, base)
//	r.Mount(server)
//
// A Profile is what one reading of all events comes to: the report, the call tree, when goroutines were
// alive. It is made once, by as many workers as there are cores, when the server starts. A page
// that comes earlier shows how far the Profile is. Flame graphs and trees are views of its call
// tree. Traces, and the durations of all calls, take readings of their own, which begin when a page
// asks for them.
//
// Numbers are those of the commands: of waymark report, tree, traces and diff.
package recorded
