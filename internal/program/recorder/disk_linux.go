package recorder

import (
	"io/fs"
	"syscall"
)

// space returns the bytes that the file system has free and in all. It is not ok if it doesn't say.
func (f *file) space() (free, total int64, ok bool) {
	if _, err := f.own(); err != nil {
		return 0, 0, false
	}
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(f.fd, &st); err != nil || st.Blocks == 0 {
		return 0, 0, false
	}
	size := int64(st.Frsize)
	if size == 0 {
		size = int64(st.Bsize)
	}
	return int64(st.Bavail) * size, int64(st.Blocks) * size, true
}

// punch frees the space of a part of the file, if the file system can.
func (f *file) punch(off, size int64) {
	const keepSize, punchHole = 0x1, 0x2
	if _, err := f.own(); err == nil && size > 0 {
		for err = syscall.EINTR; err == syscall.EINTR; {
			err = syscall.Fallocate(f.fd, punchHole|keepSize, off, size)
		}
	}
}

// allocated returns how many bytes of disk a file takes.
func allocated(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return fi.Size()
}
