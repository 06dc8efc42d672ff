package runtime

// WMEnter records that a call of the function with site word s begins.
//
//go:noescape
func WMEnter(s WMSite) WMFrame

// WMExit records that the call f ends.
//
//go:noescape
func WMExit(f WMFrame)

// WMExitError is WMExit for a call that returns err.
//
//go:noescape
func WMExitError(f WMFrame, err error)

// WMEnterArgs is WMEnter with the arguments of the call.
//
//go:noescape
func WMEnterArgs(site WMSite, args ...any) WMFrame

// WMExitResults is WMExit with the results of the call.
//
//go:noescape
func WMExitResults(f WMFrame, results ...any)

// WMEnterInts is WMEnterArgs for up to four integers of predeclared types, see wmValues.
//
//go:noescape
func WMEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame

// WMExitInts is WMExitResults for up to four integers of predeclared types.
//
//go:noescape
func WMExitInts(f WMFrame, kinds, a, b, c, d uint64)

// WMFloor reads the time stamp counter 2*n times.
//
//go:noescape
func WMFloor(n int) uint64

// wmCPUID executes CPUID for a leaf.
//
//go:noescape
func wmCPUID(leaf uint32) (eax, ebx, ecx, edx uint32)

// wmCallSize is what a call pushes onto the stack, in bytes: the assembly reads
// the stack pointer after that.
const wmCallSize = 8

// wmCounter describes the time stamp counter. Its rate has to be measured.
func wmCounter() (name string, constant bool, hz uint64) {
	return "tsc", wmConstantTSC(func(leaf uint32) (eax, edx uint32) {
		eax, _, _, edx = wmCPUID(leaf)
		return eax, edx
	}), 0
}

// wmTicks reads the time stamp counter. Unlike cputicks it doesn't wait for what
// comes before: the hot path doesn't either.
//
//go:noescape
func wmTicks() uint64
