package control

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A plainRuntime is that of a program which plain Go has built.
type plainRuntime struct{}

func (plainRuntime) Go(f func()) { go f() }
func (plainRuntime) Ready(fd int32, write bool, ns int64) int32 {
	p := struct {
		fd              int32
		events, revents int16
	}{fd: fd, events: 1}
	if write {
		p.events = 4
	}
	ts := syscall.NsecToTimespec(ns)
	limit := &ts
	if ns < 0 {
		limit = nil
	}
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	switch errno {
	case 0:
		return int32(n)
	case syscall.EINTR: // as by the signal that preempts goroutines
		return 0
	}
	return -1
}

// listens makes a socket that a server serves, and returns its path.
func listens(t *testing.T) string {
	t.Helper()
	l, err := Listen(filepath.Join(t.TempDir(), "s"), plainRuntime{})
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(new(program))
	go l.Serve(func() *Server { return s })
	t.Cleanup(l.Close)
	return l.path
}

func connect(t *testing.T, path string) *client {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	t.Cleanup(func() { conn.Close() })
	return &client{t: t, conn: conn}
}

func TestListener(t *testing.T) {
	path := listens(t)
	st, err := os.Stat(path)
	if err != nil || st.Mode() != fs600 {
		t.Errorf("socket has mode %v, %v, want %v", st.Mode(), err, fs600)
	}
	one, other := connect(t, path), connect(t, path)
	one.ask(Request{Do: DoOn, Targets: []string{"f"}})
	if on := names(other.ask(Request{Do: DoStatus}).Status.On); !slices.Equal(on, []string{"f"}) {
		t.Errorf("on: %v, want f", on)
	}
	one.conn.Close()
	for on := []string{"f"}; len(on) > 0; {
		on = names(other.ask(Request{Do: DoStatus}).Status.On)
	}
}

const fs600 = os.ModeSocket | 0o600

// There is a limit of clients at a time, and those beyond are told.
func TestConnections(t *testing.T) {
	path := listens(t)
	for n := 0; n < mostConnections; n++ {
		connect(t, path).ask(Request{Do: DoStatus})
	}
	var answer Response
	if err := Read(connect(t, path).conn, &answer); err != nil || answer.Error == nil || answer.Error.Code != CodeState {
		t.Errorf("client %d got %+v, %v, want an error", mostConnections+1, answer, err)
	}
}

// A client that stalls within a message loses its connection; one that asks nothing doesn't.
func TestStall(t *testing.T) {
	path := listens(t)
	idle, stalls := connect(t, path), connect(t, path)
	stalls.conn.Write([]byte{0, 0})
	if n, err := stalls.conn.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("client that stalls read %d bytes, %v, want the end", n, err)
	}
	if answer := idle.ask(Request{Do: DoStatus}); answer.Status == nil {
		t.Errorf("client that was idle got %+v, want a status", answer)
	}
}

// The program may close the socket, and use its number for a file of its own.
func TestClosedByProgram(t *testing.T) {
	l, err := Listen(filepath.Join(t.TempDir(), "s"), plainRuntime{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Dup3(int(other.Fd()), l.socket.fd, syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	l.Serve(nil)
	l.Close()
	var st syscall.Stat_t
	if err := syscall.Fstat(l.socket.fd, &st); err != nil {
		t.Errorf("the program's descriptor: %v, want it open", err)
	}
	syscall.Close(l.socket.fd)
}

// The program may do so with a connection, too: nothing is read from its file, nor written, and it stays open.
func TestConnectionClosedByProgram(t *testing.T) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pair[1])
	s, err := newSocket(pair[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := syscall.Dup3(int(file.Fd()), s.fd, syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(s.fd)
	c := &connection{socket: s}
	if _, err := c.Read(make([]byte, 9)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read: %v, want %v", err, fs.ErrClosed)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write: %v, want %v", err, fs.ErrClosed)
	}
	c.close()
	var st syscall.Stat_t
	if err := syscall.Fstat(s.fd, &st); err != nil {
		t.Errorf("the program's descriptor: %v, want it open", err)
	}
}

func TestListenMistakes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file: "no socket", filepath.Join(dir, "none", "s"): "no such file", filepath.Join(dir, strings.Repeat("x", 200)): "too long",
	} {
		l, err := Listen(path, plainRuntime{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", path, l, err, want)
		}
	}
}

// The folder of sockets is the user's only.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	want := filepath.Join(dir, "waymark")
	if got, err := Folder(); err != nil || got != want {
		t.Fatalf("folder %s, %v, want %s", got, err, want)
	}
	if err := os.Chmod(want, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(); err == nil {
		t.Error("a folder of mode 0750 is taken")
	}
	os.Remove(want)
	if err := os.Symlink(dir, want); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(); err == nil {
		t.Error("a symbolic link is taken")
	}
}

// Sockets of processes that have ended are swept away, others aren't.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	own, err := SocketName(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const earlier, elsewhere = "1-0.sock", "4194305-1.sock" // the second one is of another pid namespace
	for _, name := range []string{own, earlier, elsewhere} {
		l, err := Listen(filepath.Join(dir, name), plainRuntime{})
		if err != nil {
			t.Fatal(err)
		}
		if name == elsewhere {
			t.Cleanup(l.Close)
		} else {
			syscall.Close(l.socket.fd)
		}
	}
	Sweep(dir)
	for name, want := range map[string]bool{own: true, earlier: false, elsewhere: true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) == want {
			t.Errorf("%s: %v; want it there: %v", name, err, want)
		}
	}
}
