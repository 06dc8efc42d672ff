package endtoend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Another user is refused, also where the socket's mode lets everybody in, which it never does by
// itself.
func TestOtherUser(t *testing.T) {
	needRoot(t)
	prog, root := instrument(t, "kill", "--all"), openDir(t)
	socket := filepath.Join(root, "s.sock")
	listening(t, prog, socket)
	info, err := os.Lstat(socket)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v, want 0600", info.Mode())
	}
	if answer, err := askAs(65534, root); !errors.Is(err, unix.EACCES) {
		t.Errorf("another user, mode 0600: %q, %v; want %v", answer, err, unix.EACCES)
	}
	if err := os.Chmod(socket, 0o666); err != nil {
		t.Fatal(err)
	}
	if answer, err := askAs(65534, root); err != nil || strings.Contains(answer, "functions") {
		t.Errorf("another user, mode 0666: %q, %v", answer, err)
	}
	if answer, err := askAs(0, root); err != nil || !strings.Contains(answer, "functions") {
		t.Errorf("the program's user: %q, %v", answer, err)
	}
}

// askAs asks the program that listens at s.sock in a folder for its status, as a user, and returns the
// answer. It may be that the user may not even see the folder's path.
func askAs(user int, folder string) (answer string, err error) {
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with the goroutine: nobody else is that user
		if err = unix.Unshare(unix.CLONE_FS); err != nil {
			return
		}
		if err = unix.Chdir(folder); err != nil {
			return
		}
		id := uintptr(user)
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id); e != 0 { // of the thread only
			err = e
			return
		}
		fd, e := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err = e; err != nil {
			return
		}
		defer unix.Close(fd)
		if err = unix.Connect(fd, &unix.SockaddrUnix{Name: "s.sock"}); err != nil {
			return
		}
		const request = `{"version":1,"do":"status"}`
		unix.Write(fd, append([]byte{0, 0, 0, byte(len(request))}, request...)) // the program may have hung up
		unix.Shutdown(fd, unix.SHUT_WR)
		for b := make([]byte, 4096); ; {
			n, e := unix.Read(fd, b)
			if n <= 0 || e != nil {
				return
			}
			answer += string(b[:n])
		}
	}()
	<-done
	return answer, err
}
