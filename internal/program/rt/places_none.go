//go:build !waymark

package rt

// Places are where probes of a provider fire.
type Places struct {
	Words     []*uint32
	Locations []uintptr
}

// TakePlaces returns nil.
func TakePlaces(typ, name, probes string) *Places { return nil }

// Give does nothing.
func (*Places) Give() {}
