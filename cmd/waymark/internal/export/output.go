package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
)

// An Output is a file that gets its name when it is complete. Until then it is beside that name, as
// NAME.PID.partial, so that what was there before stays if something fails.
type Output struct {
	io.Writer
	name  string
	file  *os.File     // that gets the name; nil if the Writer is all there is
	close func() error // of the Writer, unless nil
}

// unsent is the name of the file for what an endpoint did not take.
const unsent = "unsent.otlp.json"

// ErrInput says that an output is one of the files that are read.
var ErrInput = errors.New("it is a recording that is read")

// ErrURL says that a format can't be sent.
var ErrURL = errors.New("only otlp is sent to a URL")

// Create makes the output of a format with a name. A device or a pipe is written to as it is; a URL
// is sent to. If the name is one of the inputs, the error wraps ErrInput.
func (f *Format) Create(name string, inputs []string) (*Output, error) {
	if otlp.IsURL(name) {
		if !f.sent {
			return nil, fmt.Errorf("%s: %w", name, ErrURL)
		}
		e, err := otlp.NewEndpoint(name, unsent)
		if err != nil {
			return nil, err
		}
		return &Output{Writer: e, close: e.Close}, nil
	}
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
			device, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return nil, err
			}
			return &Output{Writer: device, close: device.Close}, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	file, err := os.OpenFile(fmt.Sprintf("%s.%d.partial", name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &Output{Writer: file, name: name, file: file}, nil
}

// Commit gives the file its name. If that fails, the file is removed. Of an endpoint the error says
// what was not taken.
func (o *Output) Commit() error {
	if o.file == nil {
		if o.close == nil {
			return nil
		}
		return o.close()
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
