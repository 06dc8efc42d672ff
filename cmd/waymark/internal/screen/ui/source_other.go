//go:build !unix

package ui

import "os"

// openSource opens a file for reading.
func openSource(name string) (*os.File, error) { return os.Open(name) }
