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

// Reads returns how long it takes to read the processor's counter twice, ns.
var Reads = sync.OnceValue(func() float64 {
	const n = 1000
	least := int64(1 << 62)
	for range 8 {
		_, from := Clock()
		for range 2 * n {
			counter()
		}
		_, to := Clock()
		least = min(least, to-from)
	}
	return float64(least) / n
})

// Steady reports whether the processor's counter counts at a constant rate, alike on all CPUs, as far as the kernel
// knows.
var Steady = sync.OnceValue(func() bool {
	info, _ := os.ReadFile("/proc/cpuinfo")
	sources, _ := os.ReadFile("/sys/devices/system/clocksource/clocksource0/available_clocksource")
	return strings.Contains(string(info), " constant_tsc") && (len(sources) == 0 || strings.Contains(string(sources), "tsc"))
})
