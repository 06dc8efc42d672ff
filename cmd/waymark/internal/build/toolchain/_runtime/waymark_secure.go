// Package runtime, as waymark adds to it: programs that run with more rights than their callers.

package runtime

// WMSecure reports whether the program runs with rights that its caller may not have. setuid,
// setgid and file capabilities give such rights. The environment is then the caller's.
func WMSecure() bool { return isSecureMode() }
