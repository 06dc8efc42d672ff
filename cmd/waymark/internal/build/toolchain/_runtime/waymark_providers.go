// Package runtime, as waymark adds to it: providers of package probe.
//
// Probes of a provider whose type a rewritten package declares have locations in the program's file,
// beside those of functions: see waymark_probes.go. The library registers a provider while the program
// runs, and then asks for the locations.

package runtime

import "unsafe"

// A WMProvider is a struct type of a package.
type WMProvider struct {
	Type   string // with its package's path
	Name   string // of the provider
	Probes string // names, divided by commas
	At     int    // place of the first probe in WMPackage.Probes

	taken bool
}

// WMTakeProvider returns the first of n probes of a provider that have locations, for one caller at a
// time, and what gives them back. It returns nil if the program's file has none for it.
func WMTakeProvider(typ, name, probes string) (first unsafe.Pointer, n int, taken *WMProvider) {
	lock(&wmPackages.lock)
	defer unlock(&wmPackages.lock)
	for p := wmPackages.first; p != nil; p = p.next {
		for i := range p.Providers {
			provider := &p.Providers[i]
			if provider.taken || provider.Type != typ || provider.Name != name || provider.Probes != probes {
				continue
			}
			const words = int(unsafe.Sizeof(wmProbes{}) / unsafe.Sizeof(WMProbe(0)))
			for n = 1; len(probes) > 0; probes = probes[1:] {
				if probes[0] == ',' {
					n++
				}
			}
			at := (*wmProbes)(unsafe.Pointer(&p.Probes[provider.At*words]))
			if at.at[wmProbeEntry] == 0 {
				return nil, 0, nil // the notes have not been added
			}
			provider.taken = true
			return unsafe.Pointer(at), n, provider
		}
	}
	return nil, 0, nil
}

// WMGiveProvider gives back what WMTakeProvider has returned.
func WMGiveProvider(provider *WMProvider) {
	lock(&wmPackages.lock)
	provider.taken = false
	unlock(&wmPackages.lock)
}

// WMProbePlace returns a probe's word of 32 bits, and the address of its location. The lower half
// of the word is the probe's semaphore, the upper half is the program's. first and i say which
// probe.
func WMProbePlace(first unsafe.Pointer, i int) (word *uint32, location uintptr) {
	p := (*wmProbes)(add(first, uintptr(i)*unsafe.Sizeof(wmProbes{})))
	location = wmPoolAddress() + wmProbeHead + uintptr(p.at[wmProbeEntry]-1)<<wmProbeShift
	return (*uint32)(add(unsafe.Pointer(p), 4)), location
}
