//go:build linux && amd64

package host

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/internal/program/control"
)

// Connect connects to a process that doesn't listen, which is patched as requests want it. Closing the connection undoes
// all. The error is an *image.Refusal if the process can't be patched.
func Connect(pid int) (net.Conn, error) {
	t, err := patch.Attach(pid)
	if err != nil {
		return nil, err
	}
	return serve(t), nil
}

func serve(t *patch.Target) net.Conn {
	client, server := net.Pipe()
	c := &connection{Conn: client, h: newHost(t), served: make(chan struct{})}
	s := control.NewServer(c.h)
	s.Later = func() {
		go func() {
			for left := s.Expire(); left >= 0; left = s.Expire() {
				time.Sleep(min(left, time.Second))
			}
		}()
	}
	go func() {
		defer close(c.served)
		s.Serve(&side{server, bufio.NewReader(server)}, "this command")
		server.Close()
	}()
	return c
}

// A Run is a program that was started to be recorded.
type Run struct {
	Note string // what the user should know
	h    *host
	rec  *recording
}

// Start starts a program, and records from its first instruction on the functions that targets name, those of its main
// module if there are none. settings are of the recording, as WAYMARK has them.
func Start(cmd *exec.Cmd, path, settings string, targets []string) (*Run, error) {
	t, err := patch.Start(cmd)
	if err != nil {
		return nil, err
	}
	h := newHost(t)
	task, c, err := h.Record(control.Request{Targets: targets, Path: path, Settings: settings})
	if err != nil {
		cmd.Process.Kill()
		h.close()
		cmd.Wait()
		return nil, err
	}
	t.Run()
	return &Run{c.Note, h, task.(*recording)}, nil
}

// Close completes the recording of a program that has ended.
func (r *Run) Close() error { return errors.Join(r.rec.Close(), r.h.close()) }

// A connection is the client's side.
type connection struct {
	net.Conn
	h      *host
	served chan struct{}
	closed bool
}

// Close ends the connection, and waits until the program is as it was.
func (c *connection) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.Conn.Close()
	<-c.served
	return c.h.close()
}

// A side is the host's side.
type side struct {
	net.Conn
	r *bufio.Reader
}

// Read reads what Pause may have read ahead.
func (s *side) Read(b []byte) (int, error) { return s.r.Read(b) }

// Pause waits for so many ns, and reports whether there is something to read, or the end.
func (s *side) Pause(ns int64) bool {
	s.SetReadDeadline(time.Now().Add(time.Duration(ns)))
	_, err := s.r.Peek(1)
	s.SetReadDeadline(time.Time{})
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
