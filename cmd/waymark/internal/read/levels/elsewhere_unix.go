//go:build unix

package levels

import (
	"errors"
	"io/fs"
	"syscall"
)

// mayBeElsewhere reports whether an index that can't be written to a folder may have room in
// another one.
func mayBeElsewhere(err error) bool {
	for _, reason := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}
