//go:build !linux

package fork

func remember(Process) {}

// remembered returns the running process; 0: it isn't known.
func remembered() Process { return 0 }
