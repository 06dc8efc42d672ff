//go:build linux && amd64

package host

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/internal/program/control"
)

// ErrTaken is the error of a process that another waymark has patched.
var ErrTaken = patch.ErrTaken

// Allow, unless it is nil, is asked before a running program may be patched. Its error says why not.
var Allow func(pid int, program string) error

// hosts are the programs that this process looks into, by their ids.
var hosts struct {
	sync.Mutex
	of map[int]*shared
}

// A shared is a host with its connections.
type shared struct {
	*host
	server *control.Server
	users  int
}

// Connect connects to a process that doesn't listen, which is patched as requests want it. All that was changed in it is
// undone when its last connection is closed. The error is an *image.Refusal if the process can't be patched. built is as
// patch.Attach has it.
func Connect(pid int, built bool) (net.Conn, error) {
	hosts.Lock()
	defer hosts.Unlock()
	s := hosts.of[pid]
	if pid == os.Getpid() {
		return nil, errors.New("a process can't patch itself")
	}
	if s == nil {
		t, err := patch.Attach(pid, built)
		if err == nil && Allow != nil {
			if err = Allow(pid, t.Program); err != nil {
				t.Close()
			}
		}
		if err != nil {
			return nil, err
		}
		h := newHost(t)
		s = &shared{host: h, server: control.NewServer(h)}
		s.server.Later = func() {
			go func() {
				for left := s.server.Expire(); left >= 0; left = s.server.Expire() {
					time.Sleep(min(left, control.ExpireEvery))
				}
			}()
		}
		if hosts.of == nil {
			hosts.of = make(map[int]*shared)
		}
		hosts.of[pid] = s
	}
	s.users++
	client, server := net.Pipe()
	c := &connection{Conn: client, of: s, served: make(chan struct{})}
	go func() {
		defer close(c.served)
		s.server.Serve(&side{server, bufio.NewReader(server)}, "this command")
		server.Close()
	}()
	return c, nil
}

// A connection is the client's side.
type connection struct {
	net.Conn
	of     *shared
	served chan struct{}
	once   sync.Once
}

// Close ends the connection. After the last one the program is as it was.
func (c *connection) Close() (err error) {
	c.once.Do(func() {
		c.Conn.Close()
		<-c.served
		hosts.Lock()
		defer hosts.Unlock()
		if c.of.users--; c.of.users == 0 {
			delete(hosts.of, c.of.t.PID())
			err = c.of.close()
		}
	})
	return err
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
