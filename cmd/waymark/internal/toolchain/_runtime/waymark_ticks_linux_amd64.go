package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	"unsafe"
)

const (
	wmTickMicro  = 90  // us between ticks: less than wmLongNano
	wmTickLeast  = 30  // us that the thread sleeps for at least
	wmTicksRound = 16  // ticks between looks at what they cost, and whether anything runs
	wmTicksPause = 100 // ms, the longest one after a tick that was late, or when nothing runs

	wmSetTimerSlack = 29  // an option of prctl
	wmClockGettime  = 228 // a system call
	wmThreadCPU     = 3   // a clock's number
)

// wmTicker is the thread.
var wmTicker struct {
	wanted  atomic.Bool
	running atomic.Uint32 // there is a thread
	on      atomic.Uint32 // it is to tick; a futex
	cpu     atomic.Int64  // ns that it has taken
	blind   atomic.Uint64 // ticks of the clock in which calls may have been missed
}

// WMTick says whether ticks are wanted while there are sites whose long calls are recorded.
func WMTick(on bool) {
	wmTicker.wanted.Store(on)
	wmSwitchTicks()
}

// WMTicker returns the CPU time of ticking, and for how long ticks were late by, ns: that is when
// calls that took 100 us or more may not have been recorded.
func WMTicker() (cpu, blind int64) {
	if wmLongTicks > 0 {
		blind = int64(float64(wmTicker.blind.Load()) * wmLongNano / float64(wmLongTicks))
	}
	return wmTicker.cpu.Load(), blind
}

// wmSwitchTicks starts the ticks, or stops them.
func wmSwitchTicks() {
	if !wmTicker.wanted.Load() || wmLongSites.Load() == 0 || !wm.counter {
		wmTicker.on.Store(0)
		return
	}
	if wmTicker.running.CompareAndSwap(0, 1) {
		wmNewGoroutine()
		go wmTickerRun()
	}
	if wmTicker.on.Swap(1) == 0 {
		futexwakeup((*uint32)(unsafe.Pointer(&wmTicker.on)), 1)
	}
}

// wmTickerRun is the entry function of the goroutine. It never ends, and is in no way of the
// scheduler: its thread counts as idle, as in wmSleep.
func wmTickerRun() {
	getg().wm.flags |= wmOwn
	wmGoroutines.blocked.Add(1)
	entersyscallblock()
	systemstack(func() {
		wmIdle()
		linux.Syscall6(linux.SYS_PRCTL, wmSetTimerSlack, 1, 0, 0, 0, 0)
		for {
			for wmTicker.on.Load() == 0 {
				futexsleep((*uint32)(unsafe.Pointer(&wmTicker.on)), 0, -1)
			}
			wmTickRounds()
		}
	})
}

// wmTickRounds ticks until that is to end.
func wmTickRounds() {
	pause, good, last := uint32(1), 0, uint64(0)
	sleep := uint32(wmTickMicro / 2)
	for wmTicker.on.Load() != 0 {
		now, late := wmClock(), uint64(0)
		if last > 0 {
			late, sleep = wmTickAfter(now-last, sleep)
		}
		if late == 0 && (good > 0 || sched.npidle.Load() != gomaxprocs) {
			atomic.Store64(&wmTicked.now, now)
			last = now
			usleep(sleep)
			if good++; good == wmTicksRound {
				pause, good = 1, 0
				wmCountTicker()
			}
			continue
		}
		atomic.Store64(&wmTicked.now, 0)
		wmTicker.blind.Add(int64(late))
		usleep(1000 * pause)
		pause, good, last = min(2*pause, wmTicksPause), 0, 0
		wmCountTicker()
	}
	atomic.Store64(&wmTicked.now, 0)
}

// wmTickAfter returns by how much a tick is late that comes gap after the last one, 0 if it is in
// time, and how long to sleep until the next one, when the thread has slept for so long, in us: the
// kernel adds its time.
func wmTickAfter(gap uint64, slept uint32) (late uint64, sleep uint32) {
	if gap > wmLongTicks {
		late = gap - wmLongTicks
	}
	micro := uint32(min(gap*(wmLongNano/1000)/wmLongTicks, 10*wmTickMicro))
	if micro > wmTickMicro {
		return late, max(slept-slept/8, wmTickLeast)
	}
	return late, min(slept+1, wmTickMicro)
}

// wmCountTicker notes how much CPU time the thread has taken.
func wmCountTicker() {
	var t timespec
	linux.Syscall6(wmClockGettime, wmThreadCPU, uintptr(noescape(unsafe.Pointer(&t))), 0, 0, 0, 0)
	wmTicker.cpu.Store(t.tv_sec*1e9 + t.tv_nsec)
}
