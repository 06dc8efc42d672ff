// Package remote lets the commands of waymark look into the program over HTTP. It is for commands
// that can't reach the program's socket: in another container, on another machine, behind a port
// that is forwarded. Nothing is reachable unless the program has a handler:
//
//	h, err := remote.Handler(remote.Options{Token: os.Getenv("WAYMARK_TOKEN")})
//	if err != nil {
//		return err
//	}
//	mux.Handle("/debug/waymark", h)
//
// Commands are given the address in place of a process, and have the same token in their environment:
//
//	WAYMARK_TOKEN=... waymark top http://localhost:8080/debug/waymark
//
// Who has the token may do what the program's user may do through the socket. That is to see
// arguments and results, and to have files written with the program's rights. Package waymark's
// Guard restricts that. The token and all that is seen cross the network as they are, unless the
// server has TLS.
//
// The handler takes over the connection, as WebSockets do, so the server must speak HTTP/1.1 to it. A
// connection holds up neither http.Server.Shutdown nor the end of the program.
package remote
