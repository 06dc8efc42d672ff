package remote

import (
	"bufio"
	"net"
	"time"
)

// How long a client may stall in the middle of a message, or while it is written to.
const patience = 5 * time.Second

// A connection is one that was taken over from an HTTP server.
type connection struct {
	net.Conn
	in     *bufio.Reader
	within bool // a part of a message was read
}

// Between implements what control.Server.Serve asks of connections: until the next message begins
// there is no limit.
func (c *connection) Between() {
	c.within = false
	c.SetReadDeadline(time.Time{})
}

// Pause implements the same: it waits for ns, and reports whether there is something to read, or the end.
func (c *connection) Pause(ns int64) bool {
	c.SetReadDeadline(time.Now().Add(time.Duration(ns)))
	defer c.SetReadDeadline(time.Time{})
	_, err := c.in.Peek(1)
	timeout, ok := err.(net.Error)
	return !ok || !timeout.Timeout()
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if n > 0 && !c.within {
		c.within = true
		c.SetReadDeadline(time.Now().Add(patience))
	}
	return n, err
}

func (c *connection) Write(b []byte) (int, error) {
	c.SetWriteDeadline(time.Now().Add(patience))
	return c.Conn.Write(b)
}
