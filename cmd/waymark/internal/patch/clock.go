//go:build linux && amd64

package patch

import (
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// counter reads the processor's counter, which events carry.
func counter() uint64

// Clock reads the clock of events, in ticks, and the monotonic clock, in ns.
func Clock() (ticks uint64, mono int64) {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return counter(), ts.Nano()
}

// Steady reports whether the processor's counter counts at a constant rate, alike on all CPUs, as far as the kernel
// knows.
var Steady = sync.OnceValue(func() bool {
	info, _ := os.ReadFile("/proc/cpuinfo")
	sources, _ := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	return strings.Contains(string(info), " constant_tsc") && (len(sources) == 0 || strings.Contains(string(sources), "tsc"))
})
