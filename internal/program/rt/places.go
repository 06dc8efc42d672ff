//go:build waymark

package rt

import "runtime"

// Places are where probes of a provider fire: in the program's own file.
type Places struct {
	Words     []*uint32 // by probe: the lower half is the semaphore, the upper one is the program's
	Locations []uintptr // by probe

	of *runtime.WMProvider
}

// TakePlaces returns the places that the program's file has for a provider of this type and name,
// with these probes. Commas divide the probes' names. It returns nil if there are none, or if
// somebody has them.
func TakePlaces(typ, name, probes string) *Places {
	first, n, of := runtime.WMTakeProvider(typ, name, probes)
	if first == nil {
		return nil
	}
	p := &Places{of: of}
	for i := 0; i < n; i++ {
		word, location := runtime.WMProbePlace(first, i)
		p.Words, p.Locations = append(p.Words, word), append(p.Locations, location)
	}
	return p
}

// Give gives the places back.
func (p *Places) Give() { runtime.WMGiveProvider(p.of) }
