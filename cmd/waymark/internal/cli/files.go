package cli

import (
	"errors"
	"fmt"

	"github.com/waymark-go/waymark/tracefile"
)

// joinable tells whether the file with this name is of f's program.
func joinable(f *tracefile.File, name string) error {
	other, err := tracefile.Open(name)
	if err != nil {
		return err
	}
	defer other.Close()
	_, err = tracefile.Join([]*tracefile.File{f, other})
	return err
}

// withSet opens files, which are of one program, and calls do with what they hold.
// Those that can't be opened are left out; the error tells which, and why.
func (a *app) withSet(names []string, do func(*tracefile.Set) error) error {
	var files []*tracefile.File
	var errs []error
	for _, name := range names {
		f, err := tracefile.Open(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer f.Close()
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
		fmt.Fprintf(a.stderr, "waymark: %s: given twice, or the same recording as another file: counted once\n", f.Path())
	}
	return errors.Join(append([]error{do(set)}, errs...)...)
}
