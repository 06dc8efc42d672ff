//go:build !amd64 && !arm64

package runtime

// wmCallProbe does nothing: there are no tables of probes for other processors.
func wmCallProbe(at uintptr, words *[wmProbeWords]uint64) {}
