package control

import (
	"path"
	"strconv"
	"strings"
)

// ParseLine returns the file and the number of a target that is a line, FILE.go:LINE. A relative path
// is without "." and ".." at its beginning.
func ParseLine(target string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(target, ':')
	if i < 0 || !strings.HasSuffix(target[:i], ".go") {
		return "", 0, false
	}
	n, err := strconv.Atoi(target[i+1:])
	file = path.Clean(target[:i])
	for strings.HasPrefix(file, "../") { // where it was typed tells nothing of where it was compiled
		file = file[len("../"):]
	}
	return file, n, err == nil && n > 0
}

// IsLine reports whether a target is a line.
func IsLine(target string) bool {
	_, _, ok := ParseLine(target)
	return ok
}
