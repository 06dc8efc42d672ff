package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/internal/program/descriptor"
)

// mostConnections is how many clients are served at a time.
const mostConnections = 64

// A Listener has a socket in the file system that only the user can connect to. Package net isn't
// used: it would start the network poller, besides which no deadlock is found.
type Listener struct {
	path    string
	socket  socket
	runtime Runtime
	slots   chan struct{}
}

// Listen makes the socket at path, in a folder that exists. What is at path is replaced.
func Listen(path string, r Runtime) (*Listener, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	fd, _ = descriptor.Raise(fd)
	l := &Listener{path: path, runtime: r, slots: make(chan struct{}, mostConnections)}
	if l.socket, err = newSocket(fd); err == nil {
		err = l.bind()
	}
	if err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return l, nil
}

// bind gives the socket its name when it is ready, and has its rights.
func (l *Listener) bind() error {
	if st, err := os.Lstat(l.path); err == nil && st.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("listen at %s: there is a file that is no socket", l.path)
	}
	dir, name := filepath.Split(l.path)
	temporary := filepath.Join(dir, fmt.Sprintf(".%s.%d", name, os.Getpid()))
	os.Remove(temporary)
	if err := syscall.Bind(l.socket.fd, &syscall.SockaddrUnix{Name: temporary}); err != nil {
		if err == syscall.EINVAL {
			err = errors.New("the path is too long for a socket")
		}
		return &fs.PathError{Op: "listen at", Path: l.path, Err: err}
	}
	err := os.Chmod(temporary, 0o600)
	if err == nil {
		err = os.NewSyscallError("listen", syscall.Listen(l.socket.fd, mostConnections))
	}
	if err == nil {
		err = os.Rename(temporary, l.path)
	}
	if err != nil {
		os.Remove(temporary)
		return err
	}
	return nil
}

// Path returns the path of the socket.
func (l *Listener) Path() string { return l.path }

// Serve has a server answer clients, until the socket is gone. The server is asked for when the first
// client comes.
func (l *Listener) Serve(server func() *Server) {
	for {
		ready := l.runtime.Ready(int32(l.socket.fd), false, -1)
		if ready < 0 || !l.socket.own() {
			return
		}
		if ready == 0 {
			continue
		}
		fd, _, err := syscall.Accept4(l.socket.fd, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch err {
		case nil:
			fd, _ = descriptor.Raise(fd)
			l.accept(server, fd)
		case syscall.EAGAIN, syscall.EINTR, syscall.ECONNABORTED:
		case syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
			l.runtime.Ready(-1, false, int64(time.Second))
		default:
			return
		}
	}
}

// accept serves a connection on a goroutine of its own, if it is one of the user or of root.
func (l *Listener) accept(server func() *Server, fd int) {
	s, err := newSocket(fd)
	if err != nil {
		syscall.Close(fd)
		return
	}
	c := &connection{socket: s, runtime: l.runtime}
	peer, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || peer.Uid != 0 && int(peer.Uid) != os.Geteuid() {
		c.refuse(CodeForbidden, "the program is another user's")
		return
	}
	select {
	case l.slots <- struct{}{}:
	default:
		c.refuse(CodeState, fmt.Sprintf("the program serves %d connections already", mostConnections))
		return
	}
	l.runtime.Go(func() {
		defer func() { <-l.slots }()
		defer s.close()
		server().Serve(c, fmt.Sprintf("process %d of user %d", peer.Pid, peer.Uid))
	})
}

// Close removes the socket, if it is still this one.
func (l *Listener) Close() {
	if l.socket.own() {
		os.Remove(l.path)
		l.socket.close()
	}
}

// Folder returns the folder of the user's sockets, which it makes, and makes sure that nobody else
// can write to it.
func Folder() (string, error) {
	dir := FolderOf(os.Geteuid())
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(dir, &st); err != nil {
		return "", &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o777 != 0o700 {
		return "", fmt.Errorf("%s: want a folder of the user's with mode 0700", dir)
	}
	return dir, nil
}

// SocketName returns the name of the process's socket: its id, and when it began, by which processes
// with the same id are told apart.
func SocketName(pid int) (string, error) {
	start, err := startTime(pid)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%s%s", pid, start, suffix), nil
}

// Sweep removes sockets in a folder of processes that have ended.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		pid, ok := PIDOf(e.Name())
		if !ok || e.Type() != fs.ModeSocket {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if name, err := SocketName(pid); err != nil && errors.Is(err, fs.ErrNotExist) || err == nil && name != e.Name() {
			// The process may be in another pid namespace.
			if refused(path) {
				os.Remove(path)
			}
		}
	}
}

// refused reports whether nobody listens at a socket.
func refused(path string) bool {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	return syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}) == syscall.ECONNREFUSED
}

// startTime returns when a process began, in ticks since the system did.
func startTime(pid int) (string, error) {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) // package os would start the network poller
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	b := make([]byte, 4096)
	n, err := syscall.Read(fd, b)
	if err != nil {
		return "", &fs.PathError{Op: "read", Path: path, Err: err}
	}
	// The name of the program, in parentheses, may hold anything. Field 22 is the 20th after it.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b[:n]), ')')+1 : n]))
	if len(fields) < 20 {
		return "", fmt.Errorf("%s: want 22 fields", path)
	}
	return fields[19], nil
}
