// Package process answers the page of waymark serve about a running program.
//
//	p := process.New(func(...string) (*live.Conn, error) { return live.Connect("4711", "") }, process.Options{Folder: "."})
//	p.Mount(server)
//
// A page opens a stream of events, which is a session. All that a session switches on belongs to
// the session's connections to the program. When the page closes, its stream ends, and then these
// connections end. The program switches off what they had switched on. Nothing outlives the page.
package process
