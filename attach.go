package waymark

import (
	"fmt"
	"io"
	"reflect"

	"github.com/waymark-go/waymark/internal/program/printer"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// An Attachment is an observer that is attached to functions.
type Attachment struct{ owner *switchboard.Owner }

// Attach has calls of the selected functions told to o: now, of packages that are loaded later, and
// of groups as they grow. An observer that is attached twice is told of a call once.
//
// Errors are a GroupError, one that wraps ErrNil, what is wrong with a pattern, and a PolicyError.
// In a program that waymark has not built nothing is told.
func Attach(s Selector, o Observer) (*Attachment, error) {
	selection, group, err := selected(s)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fmt.Errorf("the observer %w", ErrNil)
	}
	kind := switchboard.KindOf(o)
	if !reflect.ValueOf(o).Comparable() {
		o = &uncomparable{o}
	}
	owner := switchboard.Default.Join(kind, FromProgram)
	owner.Group = group
	err = owner.Set(switchboard.Wish{Want: rt.Watched, Select: selection, Kind: kind,
		Observer: func(string) switchboard.Observer { return o }})
	if err != nil {
		return nil, err
	}
	return &Attachment{owner}, nil
}

// Close ends that calls are told to the observer, except the ends of those in progress. It may be
// called again.
func (a *Attachment) Close() error {
	a.owner.Close()
	return nil
}

// Funcs returns the functions that the observer sees at this moment.
func (a *Attachment) Funcs() []Func { return values(a.owner.Funcs()) }

// An uncomparable is an observer that Go can't compare, such as an ObserverFunc.
type uncomparable struct{ Observer }

// Print returns an observer that writes a line for each event, as soon as it happens. A line has
// the time, the goroutine, what happens, and the values. It is indented by how deep the call is.
//
//	15:04:05.000001 [17] > store.Stream.WriteLong((*store.Stream)(0xc000012345), 7)
//	15:04:05.000002 [17]   . store.Stream.interestingWriteLong("An odd value", 7)
//	15:04:05.000003 [17] ! store.Stream.WriteLong panics: "out of space"
//	15:04:05.000004 [17] < store.Stream.WriteLong
//
// Lines are written whole, one at a time. Errors of w are ignored.
func Print(w io.Writer) Observer {
	return printer.New(printer.Lines, func(line []byte) { w.Write(line) })
}
