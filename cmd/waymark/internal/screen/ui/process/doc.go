// Package process answers the page of waymark serve about a running program.
//
//	p := process.New(func() (*live.Conn, error) { return live.Connect("4711", "") }, ".")
//	p.Mount(server)
//
// A page opens a stream of events, which is a session. All that it switches on belongs to connections
// to the program that the session has: when the page closes, its stream ends, then these connections,
// and the program switches off what they had switched on. Nothing outlives the page.
package process
