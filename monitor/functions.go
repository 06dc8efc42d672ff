package monitor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// What is wrong with a package, an id or a name, for errors.Is.
var (
	ErrNotTraced  = errors.New("is not traced: none of its functions is in a group, or it was not built by waymark")
	ErrNotInGroup = errors.New("has no function in group")
	ErrID         = errors.New("is out of range")
	ErrFunction   = errors.New("has no traced function")
)

// Functions returns a package's functions that have directives, info functions too. The index of a
// function is its id: tracing names are sorted, and those of the package's own tests are behind the
// others. The error wraps ErrNotTraced.
func Functions(pkg string) ([]waymark.Func, error) {
	list, ok := switchboard.Default.ByID(pkg)
	if !ok {
		return nil, fmt.Errorf("package %s %w", pkg, ErrNotTraced)
	}
	funcs := make([]waymark.Func, len(list))
	for i, f := range list {
		funcs[i] = *f
	}
	return funcs, nil
}

// FunctionName returns the tracing name of a package's function by its id. Errors wrap ErrNotTraced
// and ErrID.
func FunctionName(pkg string, id int) (string, error) {
	list, ok := switchboard.Default.ByID(pkg)
	switch {
	case !ok:
		return "", fmt.Errorf("package %s %w", pkg, ErrNotTraced)
	case id < 0 || id >= len(list):
		return "", fmt.Errorf("package %s: id %d %w: there are %d", pkg, id, ErrID, len(list))
	}
	return list[id].TracingName, nil
}

// FunctionID returns the id of a package's function by its tracing name. Errors wrap ErrNotTraced
// and ErrFunction.
func FunctionID(pkg, name string) (int, error) {
	list, ok := switchboard.Default.ByID(pkg)
	if !ok {
		return 0, fmt.Errorf("package %s %w", pkg, ErrNotTraced)
	}
	for id, f := range list {
		if f.TracingName == name {
			return id, nil
		}
	}
	return 0, fmt.Errorf("package %s %w %s", pkg, ErrFunction, name)
}

// named is what ready-made monitors know of their package.
type named struct{ pkg string }

func (n named) Package() string { return n.pkg }

// name returns the tracing name of a function.
func (n named) name(id int) string {
	name, err := FunctionName(n.pkg, id)
	if err != nil {
		return "#" + strconv.Itoa(id)
	}
	return name
}

// function returns the name of a function for people: with the last part of the package's path.
func (n named) function(id int) string { return short(n.pkg) + "." + n.name(id) }

func short(pkg string) string { return pkg[strings.LastIndexByte(pkg, '/')+1:] }
