// Package dashboard is the terminal dashboard of a running program: which functions take the time, what
// is switched on, calls with their values, and traces.
//
//	s, err := session.Open(connect)
//	...
//	err = tui.Run(dashboard.New(s, dashboard.Options{Name: "app", Every: time.Second}), stdin, stdout, nil)
//
// The model takes messages and returns views; what it asks the program goes through package session.
// After an error it shows what it saw last, and asks again.
package dashboard
