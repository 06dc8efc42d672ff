package runtime

// WMEnter records that a call of the function with site word s begins.
//
//go:noescape
func WMEnter(s WMSite) WMFrame

// WMExit records that the call f ends.
//
//go:noescape
func WMExit(f WMFrame)

// WMFloor reads the time stamp counter 2*n times.
//
//go:noescape
func WMFloor(n int) uint64

// wmCPUID executes CPUID for a leaf.
//
//go:noescape
func wmCPUID(leaf uint32) (eax, ebx, ecx, edx uint32)

// wmHasTSC tells whether the time stamp counter runs at a constant rate in all
// power states (CPUID 8000_0007H, EDX bit 8) and nobody forbade its use.
func wmHasTSC() bool {
	if gogetenv("WAYMARKCLOCK") == "nanotime" {
		return false
	}
	const maxLeaf, power = 0x80000000, 0x80000007
	if max, _, _, _ := wmCPUID(maxLeaf); max < power {
		return false
	}
	_, _, _, edx := wmCPUID(power)
	return edx&(1<<8) != 0
}

func wmClock() uint64 {
	if wm.tsc {
		return uint64(cputicks())
	}
	return uint64(nanotime())
}
