//go:build !linux

package live

import (
	"errors"
	"os"
)

func (c *Conn) peer() (p peer, err error) { return p, errors.ErrUnsupported }

// Named opens a file that the program says it has written.
func (c *Conn) Named(string) (f *os.File, own bool, err error) {
	return nil, false, errors.ErrUnsupported
}
