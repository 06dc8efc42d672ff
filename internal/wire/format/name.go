package format

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Beside names a file that belongs to the trace file at path: word goes in front of
// the extension.
func Beside(path, word string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + word + ext
}

// OfProcess names the trace file of a process that was told to write to path when that
// is in use. Process 17 writes to app.17.wmt beside app.wmt. A process that replaces
// its program (exec) needs several: the n-th, from 2 on, is app.17.n.wmt.
func OfProcess(path string, pid, n int) string {
	word := strconv.Itoa(pid)
	if n > 1 {
		word += "." + strconv.Itoa(n)
	}
	return Beside(path, word)
}
