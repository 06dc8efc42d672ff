package stopped

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrGone is the error of a process that has ended.
var ErrGone = errors.New("the process has ended")

// Began returns when a process began, in ticks of the kernel since the machine did. It is ErrGone that the
// process has ended, also if nobody has taken notice yet.
func Began(pid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, ErrGone
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0, ErrGone
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// Uptime returns how long a process has run; 0 if it has ended.
func Uptime(pid int) time.Duration {
	const tick = time.Second / 100 // of the kernel, for programs
	began, err := Began(pid)
	var now unix.Timespec
	if err != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return time.Duration(now.Nano()) - time.Duration(began)*tick
}

// CPU returns the CPU time that a process has taken; 0 if it is gone.
func CPU(pid int) time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED, of all threads: clock_getcpuclockid(3)
	var now unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|ofProcess), &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
