// Package clock chooses what events and timed calls carry the time of, once for the process.
package clock

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/rt"
)

// nanotime is the name of the runtime's monotonic clock, which every machine has.
const nanotime = "nanotime"

// A Clock is a clock of this machine.
type Clock struct {
	Name string // tsc, cntvct or nanotime
	Hz   uint64 // ticks per second; 0 if that has to be measured
}

var chosen = sync.OnceValues(func() (Clock, error) {
	//lint:ignore SA4006 without the hooks SetClock panics, and what follows is never reached
	name, err := choose(os.Getenv("WAYMARKCLOCK"), clocks())
	//lint:ignore SA4006 as above
	counter, _, hz := rt.Counter()
	if name != counter {
		hz = 1e9
	}
	rt.SetClock(name == counter)
	return Clock{name, hz}, err
})

// Chosen gives the clock of this process: the processor's counter where it is constant and the same on all
// CPUs, else the runtime's monotonic clock, which costs more to read; or the one that the variable WAYMARKCLOCK
// names. If the machine has none of that name the error says so, and what is used instead.
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

// choose gives the clock that is wanted, of those that the machine has. One that it hasn't is no reason to do without.
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

// trusted tells whether the kernel thinks the counter good. CPUID tells that a
// time stamp counter is constant, but not that those of all CPUs agree; the kernel
// compares them and strikes tsc from its list when they don't. Where there is no
// list the processor's word has to do.
func trusted(counter string) bool { return listed(sources(), counter) }

// listed tells whether the kernel's list of clocks doesn't speak against a counter.
// Of others than the time stamp counter it says nothing.
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
