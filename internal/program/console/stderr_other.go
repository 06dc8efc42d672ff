//go:build !linux

package console

import "os"

// write writes to stderr.
func write(text []byte) { os.Stderr.Write(text) }
