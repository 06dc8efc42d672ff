package runtime

import "internal/abi"

// wmProbeShift is that of the size of a location.
const wmProbeShift = 3

// wmCallProbe goes through the location with that number in the pool, with the words in registers.
//
//go:noescape
func wmCallProbe(at uintptr, words *[wmProbeWords]uint64)

// wmProbePool is the pool of locations, which is no function.
func wmProbePool()

// wmPoolAddress returns where the pool begins.
func wmPoolAddress() uintptr { return abi.FuncPCABI0(wmProbePool) }
