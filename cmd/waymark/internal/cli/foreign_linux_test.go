package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/program/control"
)

// stranger is a user who is not the test's.
const stranger = 65534

// A poser poses as an instrumented program of another user: it answers what it likes.
type poser struct {
	path    string // the file that it says it has written
	program string
	fails   string // the text of errors; empty: there are none
}

// listen makes the poser's socket in dir.
func (p *poser) listen(t *testing.T, dir string) {
	t.Helper()
	name, err := control.SocketName(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		l   net.Listener
		err error
	}
	made := make(chan result)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine: nobody else is that user
		var r result
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, stranger, stranger, stranger); e != 0 {
			r.err = e
		} else {
			r.l, r.err = net.Listen("unix", filepath.Join(dir, name))
		}
		made <- r
	}()
	r := <-made
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() { r.l.Close() })
	go func() {
		for {
			c, err := r.l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
}

func (p *poser) serve(c net.Conn) {
	defer c.Close()
	for {
		var r control.Request
		if control.Read(c, &r) != nil {
			return
		}
		answer := control.Response{Version: control.Version}
		switch r.Do {
		case control.DoStatus:
			answer.Status = &control.Status{PID: os.Getpid(), Program: p.program, Functions: 3, Recording: p.path, Groups: []string{p.program}, Seen: p.path}
		case control.DoNext, control.DoStop:
			answer.News = &control.News{Done: true}
		case control.DoWatch, control.DoCalls:
			if p.fails != "" {
				answer.Error = &control.Error{Code: control.CodeState, Text: p.fails}
				break
			}
			fallthrough
		default:
			answer.Change = &control.Change{Path: p.path, Functions: 1, Packages: 1}
		}
		if control.Write(c, answer) != nil {
			return
		}
	}
}

// openTo returns a folder of the stranger's, in folders that everybody may search.
func openTo(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to be another user, too")
	}
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	theirs := filepath.Join(dir, "theirs")
	if err := os.Mkdir(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(theirs, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	return theirs
}

// A program of another user names a file that it says it has written. Nothing of others is moved,
// copied or removed for it.
func TestForeignNames(t *testing.T) {
	dir := openTo(t)
	home := t.TempDir()
	recording := (&calltreetest.Recording{}).Bytes()
	write := func(path string, data []byte, uid int) string {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
		return path
	}
	shadow := write(filepath.Join(home, "shadow"), []byte("root:secret\n"), 0)
	ours := write(filepath.Join(home, "ours.wmt"), recording, 0)
	theirs := write(filepath.Join(dir, "theirs.wmt"), recording, stranger)
	text := write(filepath.Join(dir, "text"), []byte("no recording"), stranger)
	twice := write(filepath.Join(dir, "twice.wmt"), recording, stranger)
	link, fifo := filepath.Join(dir, "link.wmt"), filepath.Join(dir, "fifo")
	for _, err := range []error{os.Symlink(ours, link), os.Link(twice, twice+"2"), syscall.Mkfifo(fifo, 0o600), os.Chown(fifo, stranger, stranger)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := &poser{program: "/srv/app"}
	p.listen(t, dir)
	pid := strconv.Itoa(os.Getpid())
	for _, test := range []struct{ path, says string }{
		{shadow, "is user 0's"}, {ours, "is user 0's"}, {link, "too many levels of symbolic links"}, {fifo, "not a regular file"},
		{text, "not a waymark trace file"}, {twice, "has other names"}, {"../ours.wmt", "want an absolute path"}, {theirs, ""},
	} {
		p.path = test.path
		for _, args := range [][]string{{"dump", "-o", filepath.Join(home, "out.wmt")}, {"dump"}, {"seen"}} {
			out := filepath.Join(home, "out.wmt")
			args = append(args, "--dir", dir, pid)
			before := snapshot(t, home, dir)
			stdout, stderr, status := run(args...)
			copied := test.says == "" && len(args) > 4
			if copied {
				if st, err := os.Stat(out); err != nil || st.Mode() != 0o600 {
					t.Errorf("%q of %s: %v %v, want a file with mode 0600", args, test.path, st, err)
				}
				if err := os.Remove(out); err != nil {
					t.Error(err)
				}
			}
			if after := snapshot(t, home, dir); after != before {
				t.Errorf("%q of %s: before\n%sthen\n%s", args, test.path, before, after)
			}
			if args[0] == "dump" && (status == 0) != (test.says == "") || !strings.Contains(stderr, test.says) && args[0] == "dump" {
				t.Errorf("%q of %s: status %d, want %q, got %s", args, test.path, status, test.says, stderr)
			}
			if strings.Contains(stdout+stderr, "secret") {
				t.Errorf("%q of %s prints what the file holds: %s%s", args, test.path, stdout, stderr)
			}
		}
	}
}

// snapshot lists files, with their users and sizes.
func snapshot(t *testing.T, dirs ...string) (text string) {
	t.Helper()
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			st := info.Sys().(*syscall.Stat_t)
			text += fmt.Sprintln(e.Name(), info.Mode(), st.Uid, st.Size, st.Nlink, st.Ino)
		}
	}
	return text
}

// Somebody has made the folder of the user's sockets first, and listens there: neither ps nor
// another command asks that process.
func TestForeignFolder(t *testing.T) {
	dir := openTo(t)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", dir)
	folder := filepath.Join(dir, fmt.Sprintf("waymark-%d", os.Geteuid()))
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(folder, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	p := &poser{program: "/srv/theposer"}
	p.listen(t, folder)
	for _, args := range [][]string{{"ps"}, {"status", "theposer"}, {"status", strconv.Itoa(os.Getpid())}} {
		stdout, stderr, status := run(args...)
		if strings.Contains(stdout, "theposer") || status == 0 && args[0] != "ps" {
			t.Errorf("%q: status %d, %s%s", args, status, stdout, stderr)
		}
	}
}

// What a program of another user says of itself is escaped: its name, its recording, its errors.
func TestForeignTexts(t *testing.T) {
	dir := openTo(t)
	p := &poser{program: "/srv/" + hostile, path: filepath.Join(dir, hostile), fails: "no such thing\x1b]0;owned\x07\r"}
	p.listen(t, dir)
	pid := strconv.Itoa(os.Getpid())
	for _, args := range [][]string{{"ps"}, {"status", pid}, {"status", "none"}, {"watch", pid, "f"}, {"seen", pid}, {"dump", pid}, {"calls", pid}, {"top", "--limit=1", "--every", "1ms", pid}} {
		args = append(args[:1:1], append([]string{"--dir", dir}, args[1:]...)...)
		stdout, stderr, _ := run(args...)
		if at := harmful(stdout + "\n" + stderr); at != "" {
			t.Errorf("%q prints what a terminal obeys, behind %q", args, at)
		}
		if args[0] == "ps" && !strings.Contains(stdout, `/srv/a\x1b]0;owned\a\n`) {
			t.Errorf("ps lacks the program, escaped: %s%s", stdout, stderr)
		}
	}
}
