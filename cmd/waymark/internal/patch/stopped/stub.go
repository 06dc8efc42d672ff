//go:build linux && amd64

package stopped

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// StubSize is how much room a stub takes, bytes.
const StubSize = 512

// A Call is a system call. Arguments may be Result.
type Call struct {
	Number    uint64
	Arguments []int64
}

// Result stands for what the first system call has returned.
const Result = -0x7EADBEEF01

// Room is where in a process a stub may stand for a moment: executable memory.
type Room struct {
	At     uint64
	Inside func(pc uint64) bool // whether an address is the program's own code
}

// Make has a thread of the process make system calls: one that waits in a system call, which it makes again
// afterwards. It executes a stub that restores all registers itself and returns to where the thread was. data is
// put behind the stub, and its address is what Data stands for among the arguments.
func (p *Process) Make(room Room, data []byte, calls ...Call) error {
	old, err := p.Bytes(room.At, StubSize)
	if err != nil {
		return err
	}
	if p.fresh {
		return p.makeFresh(room, old, data, calls)
	}
	const tries = 300
	for range tries {
		for _, id := range p.ids() {
			if !p.inCall(id) {
				continue
			}
			left, err := p.makeOn(id, room, data, calls)
			if err != nil {
				return err
			}
			if left {
				return p.leave(id, room.At, old)
			}
		}
		if !p.Alive() {
			return ErrGone
		}
		time.Sleep(time.Millisecond)
	}
	if strings.HasPrefix(p.status("State"), "T") {
		return fmt.Errorf("process %d is stopped: let it go on by kill -CONT %d", p.PID, p.PID)
	}
	return errors.New("no thread of the process waits in a system call, for which it could make another one")
}

// Data stands for the address of the data behind a stub.
const Data = -0x7EADBEEF02

// inCall reports whether a thread seems to be in a system call.
func (p *Process) inCall(id int) bool {
	b, err := os.ReadFile(p.file(fmt.Sprintf("task/%d/syscall", id)))
	return err == nil && len(b) > 0 && b[0] != 'r' && b[0] != '-'
}

// makeOn sets a thread on a stub, and reports whether it did: the thread may be none that can.
func (p *Process) makeOn(id int, room Room, data []byte, calls []Call) (done bool, err error) {
	t, held := p.threads[id], true
	if t == nil {
		held = false
		found, err := p.seize(id)
		if err != nil || !found {
			return false, err
		}
		if t, err = p.wait(id); t == nil {
			return false, err
		}
		p.threads[id] = t
	}
	if t.group || int64(t.Regs.Orig_rax) < 0 || t.Signal != 0 || !room.Inside(t.Regs.Rip) {
		if !held {
			p.release(t)
		}
		return false, nil
	}
	b, err := stub(&t.Regs, room.At, data, calls)
	if err == nil {
		err = p.Write(room.At, b)
	}
	if err == nil {
		t.Regs.Rip, t.Regs.Orig_rax = room.At, ^uint64(0)
		err = t.SetRegs()
	}
	p.release(t)
	return err == nil, err
}

// leave waits until a thread has left the stub, and puts back what was there.
func (p *Process) leave(id int, at uint64, old []byte) error {
	for began := time.Now(); time.Since(began) < 10*time.Second; {
		b, err := os.ReadFile(p.file(fmt.Sprintf("task/%d/syscall", id)))
		if err != nil {
			return p.Write(at, old) // the thread has ended
		}
		fields := strings.Fields(string(b))
		if len(fields) > 0 && fields[0] == "running" {
			in, err := p.within(id, at)
			if err != nil {
				return err
			}
			if !in {
				return p.Write(at, old)
			}
		} else if pc, err := strconv.ParseUint(strings.TrimPrefix(fields[len(fields)-1], "0x"), 16, 64); err == nil && (pc < at || pc >= at+StubSize) {
			return p.Write(at, old)
		}
		time.Sleep(100 * time.Microsecond)
	}
	if !p.Alive() {
		return ErrGone
	}
	return fmt.Errorf("a thread of process %d doesn't go on: is the process stopped?", p.PID) // the stub stays: it may go on there
}

// within reports whether a thread is in the stub, or in a handler of a signal that came there.
func (p *Process) within(id int, at uint64) (bool, error) {
	found, err := p.seize(id)
	if err != nil || !found {
		return false, err
	}
	t, err := p.wait(id)
	if t == nil {
		return false, err
	}
	p.threads[id] = t
	defer p.release(t)
	in := func(pc uint64) bool { return pc >= at && pc < at+StubSize }
	if in(t.Regs.Rip) {
		return true, nil
	}
	// Frames of signals are on stacks of their own, which are small: the registers of what was interrupted
	// are near the stack pointer.
	const most = 64 << 10
	b := make([]byte, most)
	n, _ := p.mem.ReadAt(b, int64(t.Regs.Rsp))
	for i := 0; i+8 <= n; i += 8 {
		if in(binary.LittleEndian.Uint64(b[i:])) {
			return true, nil
		}
	}
	return false, nil
}

// makeFresh is Make for a process that has not run yet: its only thread is stepped through the stub.
func (p *Process) makeFresh(room Room, old, data []byte, calls []Call) error {
	t := p.threads[p.PID]
	home := t.Regs
	b, err := stub(&t.Regs, room.At, data, calls)
	if err != nil {
		return err
	}
	if err := p.Write(room.At, b); err != nil {
		return err
	}
	t.Regs.Rip, t.Regs.Orig_rax = room.At, ^uint64(0)
	if err := t.SetRegs(); err != nil {
		return err
	}
	const most = 1000
	for n := 0; t.Regs.Rip != home.Rip; n++ {
		if n == most {
			return fmt.Errorf("the process doesn't come back from a stub")
		}
		if err := p.Step(t); err != nil {
			return err
		}
	}
	return p.Write(room.At, old)
}

// stub returns the code of a stub that is to lie at an address.
func stub(regs *unix.PtraceRegs, at uint64, data []byte, calls []Call) ([]byte, error) {
	var b []byte
	set := func(register byte, v uint64) {
		b = append(b, 0x48|register>>3, 0xB8|register&7)
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	dataAt := at + StubSize - uint64(len(data))
	arguments := []byte{7, 6, 2, 10, 8, 9} // their registers
	for i, c := range calls {
		for n, v := range c.Arguments {
			switch v {
			case Result:
				b = append(b, 0x4C|arguments[n]>>3, 0x89, 0xE8|arguments[n]&7) // MOVQ R13, argument
			case Data:
				set(arguments[n], dataAt)
			default:
				set(arguments[n], uint64(v))
			}
		}
		set(0, c.Number)
		if b = append(b, 0x0F, 0x05); i == 0 { // SYSCALL
			b = append(b, 0x49, 0x89, 0xC5) // MOVQ AX, R13
		}
	}
	pc, ax := regs.Rip, regs.Rax
	if int64(regs.Orig_rax) >= 0 { // in a system call, which was interrupted if this is its result
		const instruction = 2 // its length
		switch -int64(regs.Rax) {
		case 512, 513, 514: // ERESTARTSYS and its like: it begins anew
			pc, ax = pc-instruction, regs.Orig_rax
		case 516: // ERESTART_RESTARTBLOCK: it goes on
			pc, ax = pc-instruction, unix.SYS_RESTART_SYSCALL
		}
	}
	for register, v := range map[byte]uint64{7: regs.Rdi, 6: regs.Rsi, 2: regs.Rdx, 10: regs.R10, 8: regs.R8, 9: regs.R9, 13: regs.R13, 1: regs.Rcx, 11: regs.R11, 0: ax} {
		set(register, v)
	}
	b = append(b, 0xFF, 0x25, 0, 0, 0, 0) // JMP to the address that follows
	b = binary.LittleEndian.AppendUint64(b, pc)
	if len(b)+len(data) > StubSize {
		return nil, fmt.Errorf("a stub of %d bytes, of %d", len(b)+len(data), StubSize)
	}
	b = append(b, make([]byte, StubSize-len(b)-len(data))...)
	return append(b, data...), nil
}

// Start makes a process that exec has just replaced by another program one that Make can use: it is stopped
// by its parent, this process, and has not run yet.
func Start(pid int) (*Process, error) {
	t, err := (&Process{PID: pid, late: make(map[int]bool)}).wait(pid)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, ErrGone
	}
	t.Signal = 0 // that of exec
	p, err := Open(pid)
	if err != nil {
		ptrace(unix.PTRACE_DETACH, pid, 0, 0)
		return nil, err
	}
	p.threads[pid], p.inner, p.fresh = t, map[int]*Thread{pid: t}, true
	return p, nil
}

// Run lets a process go on that Start has.
func (p *Process) Run() {
	p.fresh = false
	p.Resume()
}
