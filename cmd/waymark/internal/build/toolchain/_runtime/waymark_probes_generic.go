//go:build !amd64 && !arm64

package runtime

// wmCallProbe does nothing: there are no tables of probes for other processors.
func wmCallProbe(at uintptr, words *[wmProbeWords]uint64) {}

const wmProbeShift = 0

// wmPoolAddress returns 0: there is no pool.
func wmPoolAddress() uintptr { return 0 }
