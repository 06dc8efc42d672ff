package endtoend

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// start starts cmd, or skips the test if what the confinement needs isn't permitted.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		t.Skipf("SKIPPED: needs the right to make a mount namespace: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// exitStatus returns the status, or that of a shell for a signal.
func exitStatus(s *os.ProcessState) int {
	if w := s.Sys().(syscall.WaitStatus); w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// openDir returns a folder in which every user may write.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		os.Chmod(at, 0o777)
	}
	return dir
}

// needRoot skips a test of what only root may do.
func needRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root")
	}
}

// listening runs the program of testdata/kill, until the test ends, and waits for the socket.
func listening(t *testing.T, prog, socket string) *os.Process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "counts")
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(prog, file)
	cmd.Env = append(os.Environ(), "WAYMARK=socket="+socket, "GOMAXPROCS=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			return cmd.Process
		}
		if time.Now().After(end) {
			t.Fatal("the program has made no socket")
		}
	}
}
