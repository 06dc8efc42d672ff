package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/waymark-go/waymark/internal/program/descriptor"
)

// A file is one that the recorder writes to. The program knows nothing of its
// descriptor. A program that becomes a daemon, say, closes all it finds, and opens
// files of its own under the same number. Therefore the descriptor is a high one,
// and each use makes sure that it is still this file's; else the file is opened
// anew. Package os is not used because it would start the network poller, whose
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
	f := &file{path: path}
	if f.fd, err = raise(fd); err != nil {
		err = &fs.PathError{Op: "create", Path: path, Err: err}
	} else {
		var st syscall.Stat_t
		err = os.NewSyscallError("fstat", syscall.Fstat(f.fd, &st))
		f.dev, f.ino = uint64(st.Dev), st.Ino
	}
	if err != nil {
		syscall.Close(f.fd)
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

// raise moves a descriptor out of the program's way. It is an error if the limit allows few: then the program
// may well need them all.
func raise(fd int) (int, error) {
	high, ok := descriptor.Raise(fd)
	if !ok {
		return fd, fmt.Errorf("no descriptor is free, or fewer than %d are allowed, which the program may need: raise the limit (ulimit -n)", descriptor.Fewest+2)
	}
	return high, nil
}

// is reports whether st is this file's.
func (f *file) is(st *syscall.Stat_t) bool { return uint64(st.Dev) == f.dev && st.Ino == f.ino }

// own makes sure that the descriptor is this file's, and returns what fstat says of the file.
func (f *file) own() (syscall.Stat_t, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err == nil && f.is(&st) {
		return st, nil
	}
	fd, err := syscall.Open(f.path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err == nil {
		if err = syscall.Fstat(fd, &st); err == nil && !f.is(&st) {
			err = errors.New("another file is there now")
		}
		if err == nil {
			f.fd, err = raise(fd)
		}
		if err != nil {
			syscall.Close(fd)
		}
	}
	if err != nil {
		return st, &fs.PathError{Op: "open again, as the program closed it,", Path: f.path, Err: err}
	}
	return st, nil
}

// write writes b at offset off, which is not beyond the file's end. The error is a cutError if
// others have made the file shorter. It is errRemoved if the file has no name any more: nobody
// could read what is written to it.
func (f *file) write(b []byte, off int64) error {
	st, err := f.own()
	if err == nil && st.Nlink == 0 && !f.named() {
		err = fmt.Errorf("%s %w", f.path, errRemoved)
	}
	if err == nil && st.Size < off {
		err = &cutError{f.path, st.Size}
	}
	if err == nil {
		err = f.allowed(off + int64(len(b)))
	}
	if err != nil {
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

// named reports whether the file is the one of its name.
func (f *file) named() bool {
	var st syscall.Stat_t
	return syscall.Lstat(f.path, &st) == nil && f.is(&st)
}

// allowed returns an error if the file may not have that size. Just to write would make the kernel
// send SIGXFSZ to the program.
func (f *file) allowed(size int64) error {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) == nil && uint64(size) > uint64(limit.Cur) {
		return &fs.PathError{Op: "write", Path: f.path, Err: fmt.Errorf("%w: the limit is %d bytes (ulimit -f)", syscall.EFBIG, limit.Cur)}
	}
	return nil
}

func (f *file) truncate(size int64) error {
	_, err := f.own()
	if err == nil {
		err = f.allowed(size)
	}
	if err != nil {
		return err
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Ftruncate(f.fd, size)
	}
	return os.NewSyscallError("ftruncate", err)
}

// remove removes the file, unless the name is another's by now.
func (f *file) remove() {
	if f.named() {
		os.Remove(f.path)
	}
}

// supersede renames f to kept, which is no file yet, and next to the name that f had.
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
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err == nil && f.is(&st) {
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
