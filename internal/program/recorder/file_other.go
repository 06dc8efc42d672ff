//go:build !linux

package recorder

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// A file is one that the recorder writes to.
type file struct{ f *os.File }

// create makes a new file, readable and writable by its owner only.
func create(path string) (*file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	return &file{f}, err
}

// write writes b at offset off.
func (f *file) write(b []byte, off int64) error {
	_, err := f.f.WriteAt(b, off)
	return err
}

func (f *file) truncate(size int64) error { return f.f.Truncate(size) }

func (f *file) remove() { os.Remove(f.f.Name()) }

// supersede renames f to kept, which is no file yet, and next to the name that f had.
// Windows renames no open files.
func (f *file) supersede(next *file, kept string) error {
	path, temporary := f.f.Name(), next.f.Name()
	if _, err := os.Lstat(kept); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "rename", Path: kept, Err: fs.ErrExist}
	}
	err := errors.Join(f.f.Close(), next.f.Close())
	if err == nil {
		err = os.Rename(path, kept)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		f.f, err = os.OpenFile(kept, os.O_RDWR, 0)
	}
	if err == nil {
		next.f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	return err
}

func (f *file) close() error { return f.f.Close() }

// head reads the first bytes of the file at path into b.
func head(path string, b []byte) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if n, err = f.Read(b); err == io.EOF {
		err = nil
	}
	return n, err
}
