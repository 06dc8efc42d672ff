// Package session is what a dashboard does with a running program. It switches functions on and
// off, adds up their calls, and follows single calls, traces and recordings.
//
//	s, err := session.Open(func(...string) (*live.Conn, error) { return live.Connect("app", "") })
//	...
//	defer s.Close()
//	change, err := s.Switch([]string{"@store", "example.com/m/cart"})
//	sums, err := s.Sums()
//
// All is the session's own. When the session is closed, or its process is killed, the program sees
// the connections end. Then the program is as it was. Methods may be called from several
// goroutines.
package session
