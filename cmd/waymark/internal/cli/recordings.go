package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/xmltrace"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// joinable reports whether the file with this name is of f's program.
func joinable(f *tracefile.File, name string) error {
	other, err := tracefile.Open(name)
	if err != nil {
		return err
	}
	defer other.Close()
	_, err = tracefile.Join([]*tracefile.File{f, other})
	return err
}

// withSet opens files, which must be of one program, and calls do with their set. Files that can't
// be opened are left out, and the error says which and why.
func (a *app) withSet(names []string, do func(*tracefile.Set) error) error {
	var files []*tracefile.File
	var errs []error
	for _, name := range names {
		f, done, damage, err := openRecording(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer done()
		if damage != nil {
			errs = append(errs, damage)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return errors.Join(errs...)
	}
	set, err := tracefile.Join(files)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, f := range set.Repeated {
		a.note(fmt.Sprintf("%s: given twice, or the same recording as another file: counted once", f.Path()))
	}
	return errors.Join(append([]error{do(set)}, errs...)...)
}

// recordings returns the trace files of a program that was told to record to file, in order. The
// first one is file. If the process has replaced its program (exec), the files of the programs
// after it follow. Files of earlier runs are not among them.
func recordings(file string) []string {
	all := []string{file}
	info, err := readInfo(file)
	for n := 1; err == nil; n++ {
		name := format.OfProcess(file, info.PID, n)
		var next tracefile.Info
		if next, err = readInfo(name); err == nil && next.Start.Before(info.Start) {
			break
		}
		if err == nil {
			all = append(all, name)
		}
	}
	return all
}

func readInfo(file string) (tracefile.Info, error) {
	f, err := tracefile.Open(file)
	if err != nil {
		return tracefile.Info{}, err
	}
	defer f.Close()
	return f.Info(), nil
}

// openRecording opens a recording, or a file of actions in XML, of which it makes one. done closes it.
// damage says why not all of the actions are in it.
func openRecording(name string) (f *tracefile.File, done func() error, damage, err error) {
	f, err = tracefile.Open(name)
	if errors.Is(err, tracefile.ErrNotTrace) && xmltrace.Is(name) {
		x, damage, err := xmltrace.Open(name)
		if err != nil {
			return nil, nil, nil, err
		}
		return x.File, x.Close, damage, nil
	}
	if errors.Is(err, fs.ErrNotExist) && isProcess(name) {
		return nil, nil, nil, fmt.Errorf("%w; for a process: waymark top %s", err, name)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if i := f.Info(); i.Blocks == 0 && i.Recovered == 0 && !i.Live {
		f.Close()
		return nil, nil, nil, fmt.Errorf("%s: nothing of it can be read: it was cut or damaged, or its program was killed at once", name)
	}
	return f, f.Close, nil, nil
}
