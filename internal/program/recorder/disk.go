package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A recording leaves others the last of the space that its file system has: 5 % or 2 GB, whichever
// is less. It stops before, unless the user has said how large the file may get.

const (
	leaveShare = 20 // one in so many
	leaveMost  = 2e9
)

// bounded reports whether the user has said how large all of the recording may get.
func (c *Config) bounded() bool { return c.MaxSize > 0 && c.Rotate == 0 }

// diskSpace returns the bytes that the file system of a file has free and in all. It is not ok if the
// file system doesn't say. Tests have another disk.
var diskSpace = (*file).space

// spare returns how many bytes the file system of f has beyond those that are left to others.
// It is not ok if that isn't known.
func (f *file) spare() (bytes int64, ok bool) {
	free, total, ok := diskSpace(f)
	if !ok {
		return 0, false
	}
	return free - min(total/leaveShare, leaveMost), true
}

// survey finds out how large the trace file can get.
func (r *Recorder) survey() {
	if r.config.bounded() {
		return
	}
	if spare, ok := r.out.file.spare(); ok {
		r.filling.limit = max(r.out.size+spare, 1)
		if r.filling.first == 0 {
			r.filling.first = r.filling.limit
		}
	}
}

// affordable returns an error if the disk has no room for so many bytes.
func (r *Recorder) affordable(size int64) error {
	if r.config.bounded() {
		return nil
	}
	if spare, ok := r.out.file.spare(); ok && size > spare {
		return fmt.Errorf("the disk is nearly full: %s are wanted and %s are free beyond the last 5 %% or 2 GB; free some space, record elsewhere, or bound the file by --max-size, max-size in WAYMARK", megabytes(size), megabytes(max(spare, 0)))
	}
	return nil
}

// megabytes is for messages.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// spaceBeside returns how many bytes of disk other recordings in the folder of the one at path take.
func spaceBeside(path string) (sum int64) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		if ext := filepath.Ext(name); ext != ".wmt" && ext != arenaSuffix || strings.TrimSuffix(name, arenaSuffix) == path {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			sum += allocated(fi)
		}
	}
	return sum
}
