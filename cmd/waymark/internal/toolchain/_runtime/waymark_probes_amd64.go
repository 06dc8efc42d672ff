package runtime

// wmProbeShift is that of the size of a location.
const wmProbeShift = 4

// wmCallProbe goes through the location with that number in the pool, with the words in registers.
//
//go:noescape
func wmCallProbe(at uintptr, words *[wmProbeWords]uint64)
