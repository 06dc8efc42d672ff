package recorder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A file is one that the recorder writes to. The program knows nothing of its
// descriptor: one that becomes a daemon, say, closes all it finds, and opens files
// of its own under the same number. Therefore the descriptor is a high one, and
// each use makes sure that it is still this file's; else the file is opened anew.
// Package os is not used because it would start the network poller, whose
// descriptor the program must not close either.
type file struct {
	path     string
	fd       int
	dev, ino uint64
}

// create makes a new file, readable and writable by its owner only.
func create(path string) (*file, error) {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	f := &file{path: path, fd: raise(fd)}
	if f.dev, f.ino, err = identity(f.fd); err != nil {
		f.close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return f, nil
}

// raise moves a descriptor to a high number, if the limit allows.
func raise(fd int) int {
	const dupCloexec = 0x406 // F_DUPFD_CLOEXEC
	for _, least := range []uintptr{1 << 16, 1000, 200} {
		if high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), dupCloexec, least); errno == 0 {
			syscall.Close(fd)
			return int(high)
		}
	}
	return fd
}

func identity(fd int) (dev, ino uint64, err error) {
	var st syscall.Stat_t
	err = syscall.Fstat(fd, &st)
	return uint64(st.Dev), st.Ino, err
}

// own makes sure that the descriptor is this file's.
func (f *file) own() error {
	if dev, ino, err := identity(f.fd); err == nil && dev == f.dev && ino == f.ino {
		return nil
	}
	fd, err := syscall.Open(f.path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return &fs.PathError{Op: "open again, as the program closed it,", Path: f.path, Err: err}
	}
	if dev, ino, err := identity(fd); err != nil || dev != f.dev || ino != f.ino {
		syscall.Close(fd)
		return &fs.PathError{Op: "open again, as the program closed it,", Path: f.path, Err: errors.New("another file is there now")}
	}
	f.fd = raise(fd)
	return nil
}

// write writes b at offset off.
func (f *file) write(b []byte, off int64) error {
	if err := f.own(); err != nil {
		return err
	}
	for len(b) > 0 {
		n, err := syscall.Pwrite(f.fd, b, off)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "write", Path: f.path, Err: err}
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

func (f *file) truncate(size int64) error {
	if err := f.own(); err != nil {
		return err
	}
	return os.NewSyscallError("ftruncate", syscall.Ftruncate(f.fd, size))
}

// supersede gives f the name kept, which nothing has yet, and next the name of f.
// Where there are hard links, there is a file of that name at any moment.
func (f *file) supersede(next *file, kept string) error {
	err := syscall.Link(f.path, kept)
	if err == syscall.EPERM || err == syscall.ENOTSUP || err == syscall.ENOSYS {
		if _, err1 := os.Lstat(kept); !errors.Is(err1, fs.ErrNotExist) {
			return &fs.PathError{Op: "link", Path: kept, Err: syscall.EEXIST}
		}
		if err := os.Rename(f.path, kept); err != nil {
			return err
		}
	} else if err != nil {
		return &fs.PathError{Op: "link", Path: kept, Err: err}
	}
	if err := os.Rename(next.path, f.path); err != nil {
		os.Rename(kept, f.path) // does nothing if both are names of the file
		os.Remove(kept)
		return err
	}
	f.path, next.path = kept, f.path
	return nil
}

// close closes the file, unless the descriptor is another's by now.
func (f *file) close() error {
	if dev, ino, err := identity(f.fd); err == nil && dev == f.dev && ino == f.ino {
		return os.NewSyscallError("close", syscall.Close(f.fd))
	}
	return nil
}

// head reads the first bytes of the file at path into b.
func head(path string, b []byte) (n int, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if n, err = syscall.Read(fd, b); err != nil {
		return 0, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return n, nil
}
