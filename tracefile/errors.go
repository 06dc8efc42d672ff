package tracefile

import "github.com/waymark-go/waymark/internal/format"

// Errors wrap ErrNotTrace for a file that is no trace file, ErrVersion for one of a version that this
// package doesn't read. ErrDamaged is for users to wrap who make an error of the damage that Info
// tells of.
var ErrNotTrace, ErrVersion, ErrDamaged = sentinels()

func sentinels() (notTrace, version, damaged error) {
	return format.ErrNotTrace, format.ErrVersion, format.ErrDamaged
}
