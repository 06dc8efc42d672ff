//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package recorder

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// ownEarlier reports whether the arena with this control chunk is this process's own,
// from before it replaced its program (exec). Then nobody has read what the arena
// holds, and the program has begun once more under the same settings. Another process
// may have had the same id, but its arena is from before this process began.
func ownEarlier(c format.Control) bool {
	if c.PID != os.Getpid() {
		return false
	}
	b := make([]byte, 4096)
	n, err := head("/proc/self/stat", b)
	if err != nil {
		return false
	}
	began, ok := beginning(string(b[:n]))
	const monotonic, boot = 1, 7
	return ok && c.Pair.MonoNano >= began-(readClock(boot)-readClock(monotonic))
}

// beginning returns the time at which a process began, in ns since the machine did,
// from its /proc/PID/stat: field 22, in hundredths of a second. The second field is
// the program's name in parentheses and may hold any character.
func beginning(stat string) (ns int64, ok bool) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const third, start = 3, 22
	if len(fields) <= start-third {
		return 0, false
	}
	n, err := strconv.ParseInt(fields[start-third], 10, 64)
	return n * 1e7, err == nil
}

// readClock reads a clock of the system, in ns; 0 if there is none of that number.
func readClock(id uintptr) int64 {
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}
