//go:build !unix

package levels

import (
	"errors"
	"io/fs"
)

// mayBeElsewhere reports whether an index that can't be written to a folder may have room in
// another one.
func mayBeElsewhere(err error) bool { return errors.Is(err, fs.ErrPermission) }
