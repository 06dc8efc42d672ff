//go:build linux && amd64

package patch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
)

// forbid has this process become a program that may not make memory that it shares.
func forbid(program string) error {
	runtime.LockOSThread()
	const number = 0 // of the system call, in what a filter is given
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_MEMFD_CREATE, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	list := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&list)), 0, 0); err != nil {
		return err
	}
	return syscall.Exec(program, []string{program}, os.Environ())
}

// A program that may not make shared memory is refused, and goes on as it was.
func TestForbidden(t *testing.T) {
	program := built(t, nil)
	w := start(t, os.Args[0], "WAYMARK_TEST_FORBIDS="+program)
	target := w.attach()
	_, err := target.Want(ofMain(target.Image))
	if refused := (*image.Refusal)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "a filter of system calls (seccomp) forbids it") {
		t.Errorf("%v, want that a filter forbids it", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	w.work(100)
	w.end()
}

// A program that doesn't go on because it was stopped says so, and is patched when it goes on.
func TestStopped(t *testing.T) {
	w := start(t, built(t, nil))
	target := w.attach()
	defer target.Close()
	w.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(100 * time.Millisecond)
	if _, err := target.Want(ofMain(target.Image)); err == nil || !strings.Contains(err.Error(), "is stopped: let it go on by kill -CONT") {
		t.Errorf("%v, want that it is stopped", err)
	}
	w.cmd.Process.Signal(syscall.SIGCONT)
	if report, err := target.Want(ofMain(target.Image)); err != nil || report.Functions == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	w.work(100)
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	w.work(100)
	w.end()
}

// A program that ends, or becomes another one, while it is patched is no error where all is undone.
func TestGone(t *testing.T) {
	w := start(t, built(t, nil))
	target := w.attach()
	if _, err := target.Want(ofMain(target.Image)); err != nil {
		t.Fatal(err)
	}
	w.cmd.Process.Kill()
	w.cmd.Wait()
	if _, err := target.Want(nil); err != nil && !errors.Is(err, stopped.ErrGone) {
		t.Errorf("%v, want nothing, or that it is gone", err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
}

// Threads and goroutines may be many.
func TestMany(t *testing.T) {
	goroutines := "20000"
	if *long {
		goroutines = "500000"
	}
	w := start(t, builtOf(t, "many", nil), "MANY="+goroutines, "THREADS=500")
	threads := 0
	for end := time.Now().Add(20 * time.Second); threads < 500 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", w.cmd.Process.Pid))
		threads = len(list)
	}
	if threads < 500 {
		t.Fatalf("%d threads, want 500", threads)
	}
	for range 3 {
		target := w.attach()
		var list []Wanted
		for _, f := range target.Image.Funcs {
			if f.Package() == "fmt" || f.Package() == "time" {
				list = append(list, Wanted{Func: f})
			}
		}
		report, err := target.Want(list)
		if err != nil || report.Functions < 100 {
			t.Fatalf("%+v, %v", report, err)
		}
		events := 0
		for end := time.Now().Add(2 * time.Second); events < 1000 && time.Now().Before(end); {
			target.Drain(true, 0, func(p *Part) { events += len(p.Records()) })
		}
		if err := target.Close(); err != nil {
			t.Fatal(err)
		}
		again := w.attach()
		if n, err := again.Differences(); n != 0 || err != nil || events < 1000 {
			t.Errorf("%d bytes differ, %v; %d events", n, err, events)
		}
		again.Close()
		t.Logf("%d functions, stopped for %v", report.Functions, report.Stopped)
	}
}

// The image is the file's, whatever stands at its path by then.
func TestReplaced(t *testing.T) {
	program := built(t, nil)
	w := start(t, program)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if b, err := exec.Command("cp", os.Args[0], program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	target := w.attach()
	report, err := target.Want(ofMain(target.Image))
	if err != nil || report.Functions == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	w.work(100)
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	w.end()
}
