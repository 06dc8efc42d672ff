package runtime

// wmConstantTSC reports whether the time stamp counter runs at a constant rate
// in all power states. cpuid returns what CPUID gives for a leaf. EAX of leaf
// 8000_0000H is the highest extended leaf. Bit 8 of EDX of leaf 8000_0007H is
// the answer. A processor without extended leaves gives something else for leaf
// 8000_0000H.
func wmConstantTSC(cpuid func(leaf uint32) (eax, edx uint32)) bool {
	const highest, power, last = 0x80000000, 0x80000007, 0x8000FFFF
	if max, _ := cpuid(highest); max < power || max > last {
		return false
	}
	_, edx := cpuid(power)
	return edx&(1<<8) != 0
}
