package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An Output is a file that gets its name when it is complete. Until then it is beside that name, as
// NAME.PID.partial, so that what was there before stays if something fails.
type Output struct {
	io.Writer
	name string
	file *os.File // nil if the Writer is all there is
}

// ErrInput says that an output is one of the files that are read.
var ErrInput = errors.New("it is a recording that is read")

// Create makes the output with a name. A device or a pipe is written to as it is. If the name is one
// of the inputs, the error wraps ErrInput.
func Create(name string, inputs []string) (*Output, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	info, err := os.Stat(name)
	switch {
	case err == nil:
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, fmt.Errorf("%s: %w", name, ErrInput)
			}
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			return &Output{Writer: f, name: name}, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := os.OpenFile(fmt.Sprintf("%s.%d.partial", name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	return &Output{f, name, f}, err
}

// Commit gives the file its name. If that fails, the file is removed.
func (o *Output) Commit() error {
	if o.file == nil {
		if c, ok := o.Writer.(io.Closer); ok {
			return c.Close()
		}
		return nil
	}
	err := o.file.Close()
	if err == nil {
		err = os.Rename(o.file.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.file.Name())
	}
	return err
}

// Discard removes what has been written.
func (o *Output) Discard() {
	if o.file == nil {
		o.Commit()
		return
	}
	o.file.Close()
	os.Remove(o.file.Name())
}
