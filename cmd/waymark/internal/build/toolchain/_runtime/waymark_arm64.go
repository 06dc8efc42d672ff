package runtime

// WMEnter records that a call of the function with site word s begins.
//
//go:noescape
func WMEnter(s WMSite) WMFrame

// WMExit records that the call f ends.
//
//go:noescape
func WMExit(f WMFrame)

// WMFloor reads the counter 2*n times.
//
//go:noescape
func WMFloor(n int) uint64

// wmTicks reads the counter.
//
//go:noescape
func wmTicks() uint64

// wmFrequency reads what the firmware says the counter's rate is.
//
//go:noescape
func wmFrequency() uint64

// wmCallSize is what a call pushes onto the stack, in bytes: the assembly reads
// the stack pointer after that.
const wmCallSize = 0

// wmCounter describes the generic timer, which the architecture makes count at
// one rate, the same on all CPUs.
func wmCounter() (name string, constant bool, hz uint64) { return "cntvct", true, wmFrequency() }
