package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A container may have no file but waymark, linked statically, and a socket: kubectl cp and exec into
// an image without a shell. There is no /proc, /tmp, /dev and /etc.
func TestChroot(t *testing.T) {
	needRoot(t)
	prog, root := instrument(t, "kill", "--all"), openDir(t)
	// Without cgo, as it is released, all is compiled once more. The C library's own archive will do.
	build := exec.Command("go", "build", "-ldflags=-s -w -linkmode=external -extldflags=-static", "-o", filepath.Join(root, "waymark"), ".")
	if *long {
		build = exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(root, "waymark"), ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "counts")
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(prog, file)
	cmd.Env = append(os.Environ(), "WAYMARK=socket="+filepath.Join(root, "s.sock"), "GOMAXPROCS=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	within := &confinement{Root: root}
	waymark := func(args ...string) (string, error) {
		out, err := within.command(t, "/waymark", args...).CombinedOutput()
		return string(out), err
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(root, "s.sock")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the program has made no socket")
		}
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	for _, c := range []struct{ args, want string }{
		{"ps --dir /", pid + " "}, {"status --dir / " + pid, "\non          nothing\n"}, {"status --dir . kill", "process " + pid},
		{"top --dir / --once --every 100ms kill main.leaf*", " main.leaf0\n"}, {"watch --dir / -n 1 " + pid + " main.leaf1", "main.leaf1()"},
	} {
		if out, err := waymark(strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("waymark %s: %v\n%swant %q", c.args, err, out, c.want)
		}
	}
	for args, want := range map[string]string{
		"status " + pid: "there is no process " + pid, "watch --dir / kill main.lef1": "is it main.leaf1", "ps --dir /none": "no such file",
	} {
		if out, err := waymark(strings.Fields(args)...); err == nil || !strings.Contains(out, want) {
			t.Errorf("waymark %s: %v\n%swant an error with %q", args, err, out, want)
		}
	}

	// Another user is refused, also where the socket's mode lets everybody in, which it never does by
	// itself.
	socket := filepath.Join(root, "s.sock")
	if info, err := os.Lstat(socket); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("the socket: %v, %v; want mode 0600", info.Mode(), err)
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
	if out, err := waymark("status", "--dir", "/", pid); err != nil {
		t.Errorf("root, after that: %v\n%s", err, out)
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
