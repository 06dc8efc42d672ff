//go:build linux && amd64

package stopped

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

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
	case errors.Is(err, syscall.ESRCH):
		return false, nil
	case err != nil:
		return false, p.refused(fmt.Errorf("trace thread %d: %w", id, err))
	}
	return ptrace(unix.PTRACE_INTERRUPT, id, 0, 0) == nil, nil
}

// wait waits until a thread has stopped; nil: it has ended.
func (p *Process) wait(id int) (*Thread, error) {
	status, err := waitFor(id)
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

func waitFor(id int) (status syscall.WaitStatus, err error) {
	for {
		if _, err = syscall.Wait4(id, &status, syscall.WALL, nil); err != syscall.EINTR {
			return status, err
		}
	}
}

// Stop stops all threads, also those that begin meanwhile.
func (p *Process) Stop() error {
	for {
		var fresh []int
		for _, id := range p.ids() {
			if p.threads[id] != nil {
				continue
			}
			found, err := p.seize(id)
			if err != nil {
				for _, id := range fresh {
					p.take(id)
				}
				p.Resume()
				return err
			}
			if found {
				fresh = append(fresh, id)
			}
		}
		if len(fresh) == 0 {
			break
		}
		for _, id := range fresh {
			if err := p.take(id); err != nil {
				p.Resume()
				return err
			}
		}
	}
	if len(p.threads) == 0 {
		return ErrGone
	}
	return nil
}

// take waits for a thread that stops, and notes it.
func (p *Process) take(id int) error {
	t, err := p.wait(id)
	if t != nil {
		p.threads[id] = t
	}
	return err
}

// Threads returns those that are stopped.
func (p *Process) Threads() (list []*Thread) {
	for _, t := range p.threads {
		list = append(list, t)
	}
	return list
}

// Thread returns a stopped thread by its id; nil: there is none.
func (p *Process) Thread(id int) *Thread { return p.threads[id] }

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
	ptrace(unix.PTRACE_DETACH, t.ID, 0, uintptr(t.Signal))
	delete(p.threads, t.ID)
}

// Step has a stopped thread execute one instruction. Signals that come are kept for Resume.
func (p *Process) Step(t *Thread) error {
	if err := ptrace(unix.PTRACE_SINGLESTEP, t.ID, 0, 0); err != nil {
		return fmt.Errorf("step thread %d: %w", t.ID, err)
	}
	status, err := waitFor(t.ID)
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
