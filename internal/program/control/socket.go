package control

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Runtime is what the socket needs of the program's.
type Runtime interface {
	// Ready waits, see rt.Ready.
	Ready(fd int32, write bool, ns int64) int32
	// Go runs f on a goroutine that the program doesn't see.
	Go(f func())
}

// suffix is that of sockets' names.
const suffix = ".sock"

// FolderOf returns the folder of a user's sockets.
func FolderOf(uid int) string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && uid == os.Geteuid() {
		return filepath.Join(dir, "waymark")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("waymark-%d", uid))
}

// PIDOf returns the process of a socket, by the socket's name.
func PIDOf(name string) (pid int, ok bool) {
	id, start, _ := strings.Cut(strings.TrimSuffix(name, suffix), "-")
	pid, err := strconv.Atoi(id)
	return pid, err == nil && pid > 0 && start != "" && strings.HasSuffix(name, suffix)
}
