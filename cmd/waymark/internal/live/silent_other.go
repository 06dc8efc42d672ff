//go:build !linux

package live

// A Silent is a Go program that doesn't listen.
type Silent struct {
	PID      int
	Program  string
	UptimeNS int64
	Release  string
}

// Silents returns nothing.
func Silents([]Process) []Silent { return nil }
