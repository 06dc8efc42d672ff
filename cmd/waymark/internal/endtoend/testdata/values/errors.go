package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"example.com/values/oracle"
)

type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { panic("a method of the program's ran") }
func (f *failure) Unwrap() error { return f.err }

type direct struct{ p *int }

func (d direct) Error() string { panic("a method of the program's ran") }

func anError(x error) error { return x }
func failing(n int) (_ int, err error) {
	if n > 0 {
		return n, fmt.Errorf("n is %d", n)
	}
	return
}

func errs() {
	one := errors.New("one")
	_, num := strconv.Atoi("12x")
	_, path := os.Open("/does/not/exist")
	n := 7
	for _, x := range []error{nil, one, io.EOF, errors.New("two\nlines"), fmt.Errorf("wrapped: %w", one), fmt.Errorf("%w and %w", one, io.EOF), fmt.Errorf("plain %d", 1),
		errors.Join(one, io.EOF), errors.Join(one), num, path, &fs.PathError{Op: "open", Path: "p", Err: one}, &os.LinkError{Op: "link", Old: "a", New: "b", Err: syscall.ENOENT},
		os.NewSyscallError("read", syscall.EINTR), &exec.Error{Name: "ls", Err: exec.ErrNotFound}, syscall.Errno(0), syscall.ENOENT,
		&failure{1, nil}, &failure{2, fmt.Errorf("inner %w", one)}, (*failure)(nil), direct{&n}, direct{}, name("named"), &net.AddrError{Err: "e", Addr: "a"}} {
		oracle.Call("main.anError(x=%) = %", anError, x)
	}
	oracle.Call("main.failing(n=%) = (%, err=%)", failing, 0)
	oracle.Call("main.failing(n=%) = (%, err=%)", failing, 3)
}

func aTime(x time.Time) time.Time          { return x }
func aMonth(x time.Month) time.Weekday     { return time.Weekday(x) }
func durations(x []time.Duration) struct{} { return struct{}{} }

func known() {
	oracle.Call("main.aTime(x=%) = %", aTime, time.Unix(1e9, 5).UTC())
	oracle.Call("main.aTime(x=%) = %", aTime, time.Time{})
	oracle.Call("main.aMonth(x=%) = %", aMonth, time.May)
	oracle.Call("main.aMonth(x=%) = %", aMonth, time.Month(20))
	oracle.Call("main.durations(x=%) = %", durations, []time.Duration{0, 1, time.Hour, -time.Millisecond})
}
