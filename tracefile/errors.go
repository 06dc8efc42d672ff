package tracefile

import "github.com/waymark-go/waymark/internal/wire/format"

// Errors wrap ErrNotTrace for a file that is no trace file, and ErrVersion for a file of a version
// that this package doesn't read. Damage is no error of this package: whoever makes one of
// Info.Damaged wraps ErrDamaged.
var ErrNotTrace, ErrVersion, ErrDamaged = sentinels()

func sentinels() (notTrace, version, damaged error) {
	return format.ErrNotTrace, format.ErrVersion, format.ErrDamaged
}
