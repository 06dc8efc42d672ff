package fork

import (
	"syscall"
	"testing"
)

// TestCopy asks a copy of the process whether it is the process.
func TestCopy(t *testing.T) {
	p := This()
	if !p.Running() {
		t.Fatal("the process is not itself")
	}
	if remembered() != p {
		t.Skip("the kernel wipes no pages for copies")
	}
	pid, _, err := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	if err != 0 {
		t.Skip("no process: ", err)
	}
	if pid == 0 {
		status := uintptr(0)
		if p.Running() {
			status = 1
		}
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, status, 0, 0)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(int(pid), &status, 0, nil); err != nil || !status.Exited() || status.ExitStatus() != 0 {
		t.Errorf("a copy ended with %v, %v: want it to know that it is one", status, err)
	}
}
