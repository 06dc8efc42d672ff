package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/ctf"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/otlp"
	"github.com/waymark-go/waymark/cmd/waymark/internal/permission"
	"github.com/waymark-go/waymark/internal/spans"
)

// An Output is a file, or a folder, that gets its name when it is complete. Until then it is beside
// that name, as NAME.PID.partial, so that what was there before stays if something fails.
type Output struct {
	io.Writer
	Sink    otlp.Sink // of a URL, instead of the Writer
	sent    *noting   // the same
	name    string
	partial string       // what gets the name; "" if the Writer is all there is
	mode    fs.FileMode  // of files
	file    *os.File     // the partial one, or the main one in it
	close   func() error // of the Writer, unless nil
}

// A noting sink notes its first error.
type noting struct {
	otlp.Sink
	err error
}

func (n *noting) Send(r *spans.Request) error {
	err := n.Sink.Send(r)
	if n.err == nil {
		n.err = err
	}
	return err
}

// Failed returns why something could not be sent, nor kept to be sent later.
func (o *Output) Failed() error {
	if o.sent == nil {
		return nil
	}
	return o.sent.err
}

// unsent is the name of the file for what an endpoint did not take.
const unsent = "unsent.otlp.json"

// ErrInput says that an output is one of the files that are read.
var ErrInput = errors.New("it is a recording that is read")

// ErrURL says that a format can't be sent.
var ErrURL = errors.New("only otlp is sent to a URL")

// ErrFolder says that there is something else where a folder shall be.
var ErrFolder = errors.New("there is something that no export has written: choose another name")

// Create makes the output of a format with a name. A device or a pipe is written to as it is; a URL
// is sent to. If the name is one of the inputs, the error wraps ErrInput. The output has the
// permissions of the inputs, whatever those of a file were that it takes the place of.
func (f *Format) Create(name string, inputs []string) (*Output, error) {
	if spans.IsURL(name) {
		if !f.sent {
			return nil, fmt.Errorf("%s: %w", name, ErrURL)
		}
		e, err := otlp.NewEndpoint(name, unsent)
		if err != nil {
			return nil, err
		}
		sent := &noting{Sink: e}
		return &Output{Sink: sent, sent: sent, close: e.Close}, nil
	}
	if f.main != "" {
		name = filepath.Clean(name) // a folder's may end with a slash
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
		if f.main != "" && !f.wrote(name) {
			return nil, fmt.Errorf("%s: %w", name, ErrFolder)
		}
		if !info.Mode().IsRegular() && f.main == "" {
			device, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return nil, err
			}
			return &Output{Writer: device, close: device.Close}, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	o := &Output{name: name, partial: fmt.Sprintf("%s.%d.partial", name, os.Getpid()), mode: permission.Of(inputs...)}
	path := o.partial
	os.RemoveAll(path) // of an earlier process with this id
	if f.main != "" {
		if err := os.Mkdir(o.partial, permission.Folder(o.mode)); err != nil {
			return nil, err
		}
		path = filepath.Join(o.partial, f.main)
	}
	if o.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.mode); err != nil {
		os.RemoveAll(o.partial)
		return nil, err
	}
	o.Writer = o.file
	return o, nil
}

// wrote reports whether a folder is empty or has what an export of the format has, and nothing else.
func (f *Format) wrote(folder string) bool {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Name() != f.main && e.Name() != ctf.Metadata {
			return false
		}
	}
	return err == nil
}

// Beside writes a file into the folder that the output is.
func (o *Output) Beside(name string, data []byte) error {
	return os.WriteFile(filepath.Join(filepath.Dir(o.file.Name()), name), data, o.mode)
}

// Commit gives the output its name; a folder that has it is removed. If that fails, the output is
// removed. Of an endpoint the error says what was not taken.
func (o *Output) Commit() error {
	if o.file == nil {
		if o.close == nil {
			return nil
		}
		return o.close()
	}
	err := o.file.Close()
	if err == nil && o.partial != o.file.Name() {
		err = os.RemoveAll(o.name)
	}
	if err == nil {
		err = os.Rename(o.partial, o.name)
	}
	if err != nil {
		os.RemoveAll(o.partial)
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
	os.RemoveAll(o.partial)
}
