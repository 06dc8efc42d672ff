//go:build !linux

package seen

import (
	"errors"
	"runtime"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A File is a seen file, of which there is none here.
type File struct{ Path string }

// Start returns an error.
func Start(string, []format.KeyValue) (*File, error) {
	return nil, errors.New("functions are seen on Linux only, not on " + runtime.GOOS)
}

func buildID(string) string { return "" }

// Name returns the path of the file.
func (f *File) Name() string { return f.Path }

// Register does nothing.
func (f *File) Register(*rt.Package) {}

// WatchTests does nothing.
func (f *File) WatchTests() {}

// End does nothing.
func (f *File) End() {}
