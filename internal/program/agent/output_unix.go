//go:build unix

package agent

import (
	"io/fs"
	"syscall"
	"time"
)

// These functions make system calls. Package os would make the descriptors that the runtime needs
// to wait for files. That would change the numbers of the program's own descriptors.

// appendFile writes at the end of a file, which is made if there is none.
func appendFile(path string, b []byte) error {
	return writeFile(path, syscall.O_APPEND, b)
}

// replaceFile writes a file in place of another one, which is there until then. A device or a pipe is written to
// as it is.
func replaceFile(path string, b []byte) error {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) == nil && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return writeFile(path, 0, b)
	}
	part := path + ".new"
	syscall.Unlink(part) // what a killed program left
	err := writeFile(part, syscall.O_EXCL, b)
	if err == nil {
		err = syscall.Rename(part, path)
	}
	if err != nil {
		syscall.Unlink(part)
	}
	return err
}

// readFile reads a regular file of limited size. It doesn't wait for one that others write to, as a
// FIFO.
func readFile(path string, most int64) ([]byte, error) {
	fd, err := open(path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	switch err := syscall.Fstat(fd, &st); {
	case err != nil:
		return nil, err
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return nil, errNotRegular
	}
	var b []byte
	for part := make([]byte, 16<<10); ; {
		n, err := syscall.Read(fd, part)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return b, nil
		case int64(len(b)+n) > most:
			return nil, errTooLarge
		default:
			b = append(b, part[:n]...)
		}
	}
}

// open opens a file. A signal may interrupt that where the file system is slow, as FUSE or NFS.
func open(path string, flag int, mode uint32) (fd int, err error) {
	for {
		if fd, err = syscall.Open(path, flag|syscall.O_CLOEXEC, mode); err != syscall.EINTR {
			return fd, err
		}
	}
}

// writeFile writes to a file, which only its user may read if it is new, as recordings.
func writeFile(path string, flag int, b []byte) error {
	fd, err := open(path, syscall.O_WRONLY|syscall.O_CREAT|flag, 0o600)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	err = writeTo(fd, b)
	if closeErr := syscall.Close(fd); err == nil {
		err = closeErr
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// An identity is of one file only.
type identity struct{ dev, ino uint64 }

// identify returns the identity of the descriptor's file.
func identify(fd int) (identity, error) {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	return identity{uint64(st.Dev), uint64(st.Ino)}, err
}

// writeTo writes to a descriptor. If that is one that doesn't wait, it has a second.
func writeTo(fd int, b []byte) error {
	for tries := 0; len(b) > 0; {
		n, err := syscall.Write(fd, b)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && tries < 1000:
			tries++
			time.Sleep(time.Millisecond)
		case err != nil:
			return err
		default:
			b = b[n:]
		}
	}
	return nil
}
