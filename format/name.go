package format

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Beside names the trace file of a process that was told to write to path when that
// is in use: process 17 writes to app.17.wmt beside app.wmt. A process that replaces
// its program (exec) needs several: the n-th, from 2 on, is app.17.n.wmt.
func Beside(path string, pid, n int) string {
	ext := filepath.Ext(path)
	id := "." + strconv.Itoa(pid)
	if n > 1 {
		id += "." + strconv.Itoa(n)
	}
	return strings.TrimSuffix(path, ext) + id + ext
}
