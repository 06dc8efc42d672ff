//go:build linux && amd64

package stopped

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Thread is one that is stopped.
type Thread struct {
	ID      int
	Regs    unix.PtraceRegs
	Signal  syscall.Signal   // that it is about to get; 0: none
	signals []syscall.Signal // further ones that came while it was stepped
	group   bool             // the process is stopped, by SIGSTOP or the terminal
}

func ptrace(request, id int, addr, data uintptr) error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, uintptr(request), uintptr(id), addr, data, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// ids returns the process's threads.
func (p *Process) ids() (list []int) {
	dir, err := os.Open(p.file("task"))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			list = append(list, id)
		}
	}
	return list
}

// seize has a thread stop soon. It reports whether there is such a thread.
func (p *Process) seize(id int) (bool, error) {
	switch err := ptrace(unix.PTRACE_SEIZE, id, 0, 0); {
	case errors.Is(err, syscall.ESRCH), errors.Is(err, syscall.EPERM) && p.state(id) == 0: // it has just ended
		return false, nil
	case err != nil:
		return false, p.refused(fmt.Errorf("trace thread %d: %w", id, err))
	}
	return ptrace(unix.PTRACE_INTERRUPT, id, 0, 0) == nil, nil
}

// patience is how long a thread may take to stop. One that waits for a disk doesn't stop until the disk has answered, nor
// does one whose child has not called exec yet.
const patience = 2 * time.Second

// wait waits until a thread has stopped; nil: it has ended. One that doesn't stop in time is let go when it does.
func (p *Process) wait(id int) (*Thread, error) {
	status, err := waitFor(id, time.Now().Add(patience))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.late[id] = true
		return nil, fmt.Errorf("thread %d of process %d doesn't stop: it waits for a disk, or for a child; try again", id, p.PID)
	}
	if err != nil || status.Exited() || status.Signaled() {
		return nil, nil
	}
	t := &Thread{ID: id}
	switch event := int(status) >> 16; {
	case event == 0:
		t.Signal = status.StopSignal()
	case event == unix.PTRACE_EVENT_STOP && status.StopSignal() != syscall.SIGTRAP:
		t.group = true
	}
	if err := unix.PtraceGetRegs(id, &t.Regs); err != nil {
		return nil, nil // killed meanwhile
	}
	return t, nil
}

// waitFor waits until a thread has stopped or ended. The error is os.ErrDeadlineExceeded if it hasn't until end.
func waitFor(id int, end time.Time) (status syscall.WaitStatus, err error) {
	for pause := time.Duration(0); ; pause = min(pause+10*time.Microsecond, time.Millisecond) {
		switch found, err := syscall.Wait4(id, &status, syscall.WALL|syscall.WNOHANG, nil); {
		case err == syscall.EINTR:
		case err != nil || found == id:
			return status, err
		case time.Now().After(end):
			return 0, os.ErrDeadlineExceeded
		default:
			time.Sleep(pause)
		}
	}
}

// Late lets threads go on that have stopped later than they were to, and reports whether there are others still.
func (p *Process) Late() bool {
	for id := range p.late {
		var status syscall.WaitStatus
		found, err := syscall.Wait4(id, &status, syscall.WALL|syscall.WNOHANG, nil)
		if err == nil && found == 0 {
			continue
		}
		delete(p.late, id)
		if err == nil && status.Stopped() {
			signal := uintptr(0)
			if int(status)>>16 == 0 {
				signal = uintptr(status.StopSignal())
			}
			ptrace(unix.PTRACE_DETACH, id, 0, signal)
		}
	}
	return len(p.late) > 0
}

// Stop stops all threads, also those that begin meanwhile.
func (p *Process) Stop() error {
	if p.Late() {
		return fmt.Errorf("a thread of process %d doesn't stop: it waits for a disk, or for a child; try again", p.PID)
	}
	for {
		var fresh []int
		var failed error
		for _, id := range p.ids() {
			if p.threads[id] != nil {
				continue
			}
			found, err := p.seize(id)
			if found {
				fresh = append(fresh, id)
			}
			if failed = err; failed != nil {
				break
			}
		}
		for _, id := range fresh {
			t, err := p.wait(id)
			if t != nil {
				p.threads[id] = t
			}
			failed = errors.Join(failed, err)
		}
		if failed != nil {
			p.Resume()
			return failed
		}
		if len(fresh) == 0 {
			break
		}
	}
	if len(p.threads) == 0 {
		return ErrGone
	}
	p.nameThreads()
	return nil
}

// nameThreads notes which ids threads have for the process itself, which may be in another namespace.
func (p *Process) nameThreads() {
	p.inner = make(map[int]*Thread)
	nested := len(innerIDs(p.file("status"))) > 1
	for id, t := range p.threads {
		if nested {
			if id = p.innerID(id); id == 0 {
				continue
			}
		}
		p.inner[id] = t
	}
}

// innerIDs returns the ids of a process or thread in the namespaces that it is in, by its file in
// /proc.
func innerIDs(file string) []string { return strings.Fields(statusOf(file, "NSpid")) }

// Threads returns those that are stopped.
func (p *Process) Threads() (list []*Thread) {
	for _, t := range p.threads {
		list = append(list, t)
	}
	return list
}

// Thread returns a stopped thread by the id that it has for the process itself; nil: there is none.
func (p *Process) Thread(id int) *Thread { return p.inner[id] }

// SetRegs writes the thread's registers.
func (t *Thread) SetRegs() error {
	if err := unix.PtraceSetRegs(t.ID, &t.Regs); err != nil {
		return fmt.Errorf("set registers of thread %d: %w", t.ID, err)
	}
	return nil
}

// Resume lets all threads go on, untraced, with the signals that they were about to get.
func (p *Process) Resume() {
	for _, t := range p.threads {
		p.release(t)
	}
}

func (p *Process) release(t *Thread) {
	for _, s := range t.signals {
		unix.Tgkill(p.PID, t.ID, s)
	}
	if ptrace(unix.PTRACE_DETACH, t.ID, 0, uintptr(t.Signal)) == syscall.ESRCH {
		waitFor(t.ID, time.Now().Add(time.Second)) // it was killed: its parent learns of it when the tracer knows
	}
	delete(p.threads, t.ID)
}

// Step has a stopped thread execute one instruction. Signals that come are kept for Resume.
func (p *Process) Step(t *Thread) error {
	if err := ptrace(unix.PTRACE_SINGLESTEP, t.ID, 0, 0); err != nil {
		return fmt.Errorf("step thread %d: %w", t.ID, err)
	}
	status, err := waitFor(t.ID, time.Now().Add(patience))
	if err != nil || !status.Stopped() {
		delete(p.threads, t.ID)
		return ErrGone
	}
	if s := status.StopSignal(); s != syscall.SIGTRAP && int(status)>>16 == 0 {
		if t.Signal != 0 {
			t.signals = append(t.signals, t.Signal)
		}
		t.Signal = s
	}
	if err := unix.PtraceGetRegs(t.ID, &t.Regs); err != nil {
		delete(p.threads, t.ID)
		return ErrGone
	}
	return nil
}
