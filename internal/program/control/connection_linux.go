package control

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Limits for clients that stall, ns. Between two messages a client may take its time.
const (
	readPatience  = int64(5 * time.Second) // within a message
	writePatience = int64(5 * time.Second)
)

// A socket is a descriptor that the program may close at any time, and have the number of for something else.
type socket struct {
	fd       int
	dev, ino uint64
}

func newSocket(fd int) (socket, error) {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	return socket{fd, uint64(st.Dev), st.Ino}, os.NewSyscallError("fstat", err)
}

// own reports whether the descriptor is still the socket's.
func (s *socket) own() bool {
	now, err := newSocket(s.fd)
	return err == nil && now == *s
}

func (s *socket) close() {
	if s.own() {
		syscall.Close(s.fd)
	}
}

// A connection is one client.
type connection struct {
	socket
	runtime Runtime
	within  bool // a part of a message was read
}

// Between says that a message is complete: until the next one begins there is no limit.
func (c *connection) Between() { c.within = false }

// Pause waits for so many ns, and reports whether there is something to read, or the end.
func (c *connection) Pause(ns int64) bool { return c.runtime.Ready(int32(c.fd), false, ns) != 0 }

// Rest waits for so many ns, whatever the client does.
func (c *connection) Rest(ns int64) { c.runtime.Ready(-1, false, ns) }

// Last sends bytes as far as there is room for them: the program ends.
func (c *connection) Last(b []byte) {
	if !c.own() {
		return
	}
	syscall.SendmsgN(c.fd, b, nil, nil, syscall.MSG_NOSIGNAL|syscall.MSG_DONTWAIT)
}

func (c *connection) refuse(code, text string) {
	Write(c, Response{Version: Version, Error: &Error{code, text}})
	c.close()
}

// await waits until the descriptor is ready, but not longer than limit ns; negative: for ever.
func (c *connection) await(write bool, limit int64) error {
	end := time.Now().Add(time.Duration(limit))
	for {
		left := limit
		if limit >= 0 {
			left = max(int64(time.Until(end)), 0)
		}
		switch c.runtime.Ready(int32(c.fd), write, left) {
		case 1:
			return nil
		case -1:
			return errors.ErrUnsupported
		}
		if left == 0 {
			return os.ErrDeadlineExceeded
		}
	}
}

func (c *connection) Read(b []byte) (int, error) {
	for {
		if !c.own() {
			return 0, fs.ErrClosed
		}
		n, err := syscall.Read(c.fd, b)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			limit := int64(-1)
			if c.within {
				limit = readPatience
			}
			if err := c.await(false, limit); err != nil {
				return 0, err
			}
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			c.within = true
			return n, nil
		}
	}
}

func (c *connection) Write(b []byte) (written int, err error) {
	for written < len(b) {
		if !c.own() {
			return written, fs.ErrClosed
		}
		n, err := syscall.SendmsgN(c.fd, b[written:], nil, nil, syscall.MSG_NOSIGNAL)
		switch err {
		case nil:
			written += n
		case syscall.EINTR:
		case syscall.EAGAIN:
			if err := c.await(true, writePatience); err != nil {
				return written, err
			}
		default:
			return written, os.NewSyscallError("write", err)
		}
	}
	return written, nil
}
