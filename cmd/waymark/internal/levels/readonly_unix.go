//go:build unix

package levels

import (
	"errors"
	"syscall"
)

// readOnly reports whether a folder can't be written to because its file system is read-only.
func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
