package names

import "strings"

// IsMachinery reports whether a function is part of the runtime's machinery: how a goroutine came to
// wait, or was stopped.
func IsMachinery(name string) bool {
	if rest, ok := strings.CutPrefix(name, "runtime."); ok {
		return rest == "" || rest[0] < 'A' || rest[0] > 'Z'
	}
	return strings.HasPrefix(name, "internal/runtime/") || strings.Contains(name, ".runtime_")
}
