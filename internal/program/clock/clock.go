// Package clock chooses what events and timed calls carry the time of, once for the process.
package clock

import (
	"fmt"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// nanotime is the name of the runtime's monotonic clock, which every machine has.
const nanotime = "nanotime"

// A Clock is a clock of this machine.
type Clock struct {
	Name string // tsc, cntvct or nanotime
	Hz   uint64 // ticks per second; 0 if that has to be measured
}

var chosen = sync.OnceValues(func() (c Clock, err error) {
	c.Name, err = choose(rt.Env("WAYMARKCLOCK"), clocks())
	counter, _, hz := rt.Counter()
	if c.Hz = hz; c.Name != counter {
		c.Hz = 1e9
	}
	rt.SetClock(c.Name == counter)
	return c, err
})

// Chosen returns the clock of this process: the clock that the variable WAYMARKCLOCK names. Else it
// is the processor's counter, where the counter is constant and the same on all CPUs. Else it is the
// runtime's monotonic clock, which costs more to read. If the machine has no clock of that name, the
// error says so and names the clock that is used instead.
func Chosen() (Clock, error) { return chosen() }

// clocks lists the clocks that this machine has. The first is the one to use.
func clocks() []string {
	switch name, constant, _ := rt.Counter(); {
	case name == "":
		return []string{nanotime}
	case constant && trusted(name):
		return []string{name, nanotime}
	default:
		return []string{nanotime, name}
	}
}

// choose returns the clock that is wanted, else the first one that the machine has.
func choose(want string, clocks []string) (string, error) {
	for _, c := range clocks {
		if c == want {
			return c, nil
		}
	}
	if want == "" {
		return clocks[0], nil
	}
	return clocks[0], fmt.Errorf("WAYMARKCLOCK=%s: this machine has %s; the clock is %s",
		want, strings.Join(clocks, " and "), clocks[0])
}

// trusted reports whether the kernel thinks the counter good. CPUID says that a time stamp counter
// is constant, but not that the counters of all CPUs agree. The kernel compares them, and strikes
// tsc from its list when they differ. Where there is no list, the processor's word has to do.
func trusted(counter string) bool { return listed(sources(), counter) }

// listed reports whether the kernel's list of clocks allows a counter. The list is about the time
// stamp counter only.
func listed(sources, counter string) bool {
	if counter != "tsc" || sources == "" {
		return true
	}
	for _, s := range strings.Fields(sources) {
		if s == counter {
			return true
		}
	}
	return false
}
