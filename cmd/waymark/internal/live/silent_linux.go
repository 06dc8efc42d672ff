package live

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/internal/text/names"
)

// A Silent is a Go program that doesn't listen.
type Silent struct {
	PID      int    `json:"pid"`
	Program  string `json:"program"` // path of the executable
	UptimeNS int64  `json:"uptime_ns"`
	Release  string `json:"go"`
	Main     string `json:"package"` // its import path
	Listens  bool   `json:"listens"` // false
}

// Silents returns the Go programs of this user that aren't among those that listen; of root, those of all users.
func Silents(listening []Process) (list []Silent) {
	entries, _ := os.ReadDir("/proc")
	var now unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || slices.ContainsFunc(listening, func(p Process) bool { return p.PID == pid }) {
			continue
		}
		if uid, _, err := owner(pid); err != nil || uid != os.Geteuid() && os.Geteuid() != 0 {
			continue
		}
		exe := fmt.Sprintf("/proc/%d/exe", pid)
		info, err := buildinfo.ReadFile(exe)
		if err != nil {
			continue
		}
		path, _ := os.Readlink(exe)
		release, _, _ := strings.Cut(info.GoVersion, " ")
		list = append(list, Silent{PID: pid, Program: names.Printable(strings.TrimSuffix(path, " (deleted)")), Release: release, Main: info.Path,
			UptimeNS: now.Nano() - int64(began(pid))})
	}
	slices.SortFunc(list, func(a, b Silent) int { return a.PID - b.PID })
	return list
}

// began returns when a process began, since the machine did.
func began(pid int) time.Duration {
	const tick = time.Second / 100 // of the kernel, for programs
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(fields) < 20 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[19], 10, 64)
	return time.Duration(n) * tick
}
