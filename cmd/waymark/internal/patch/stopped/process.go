//go:build linux && amd64

package stopped

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// A Process is another process.
type Process struct {
	PID     int
	began   uint64 // when, in the kernel's ticks: another process may get the id later
	mem     *os.File
	threads map[int]*Thread // that are stopped
	inner   map[int]*Thread // the same, by the ids that they have for the process
	late    map[int]bool    // that were to stop, and have not yet
	fresh   bool            // it has not run since exec
	probe   uint64          // see Probe
}

// Open opens a process. The error says what the kernel wants of who looks into it.
func Open(pid int) (*Process, error) {
	p := &Process{PID: pid, threads: make(map[int]*Thread), late: make(map[int]bool)}
	var err error
	if p.began, err = Began(pid); err != nil {
		return nil, err
	}
	p.mem, err = os.OpenFile(p.file("mem"), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, p.refused(err)
	}
	return p, nil
}

// Close closes the process's memory. Threads that are stopped go on.
func (p *Process) Close() error {
	p.Resume()
	return p.mem.Close()
}

func (p *Process) file(name string) string { return fmt.Sprintf("/proc/%d/%s", p.PID, name) }

// Alive reports whether the process has neither ended nor replaced its program by another one.
func (p *Process) Alive() bool {
	began, err := Began(p.PID)
	if err != nil || began != p.began {
		return false
	}
	_, err = p.mem.ReadAt(make([]byte, 1), int64(p.probe))
	return p.probe == 0 || !errors.Is(err, io.EOF)
}

// Probe says at which address the process has memory for as long as it runs its program.
func (p *Process) Probe(at uint64) { p.probe = at }

// status returns a line of /proc/PID/status, without its name; empty: there is none.
func (p *Process) status(name string) string { return statusOf(p.file("status"), name) }

func statusOf(file, name string) string {
	b, _ := os.ReadFile(file)
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// A denial is an fs.ErrPermission that says what helps.
type denial struct{ text string }

func denied(format string, args ...any) error { return &denial{fmt.Sprintf(format, args...)} }

func (d *denial) Error() string { return d.text }
func (d *denial) Unwrap() error { return fs.ErrPermission }

// refused says why the kernel refuses to let the process be traced, and what helps.
func (p *Process) refused(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if by := p.status("TracerPid"); by != "" && by != "0" {
		return denied("process %d is traced already, by process %s: a process has one tracer at a time", p.PID, by)
	}
	scope, _ := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	switch s := strings.TrimSpace(string(scope)); {
	case s == "3":
		return denied("this kernel forbids tracing (kernel.yama.ptrace_scope is 3) until the machine reboots")
	case s == "2" && os.Geteuid() != 0:
		return denied("this kernel lets only root trace processes (kernel.yama.ptrace_scope is 2): use sudo")
	case s == "1" && os.Geteuid() != 0:
		return denied("this kernel lets users trace only what they start themselves (kernel.yama.ptrace_scope is 1): use sudo, or start the program by waymark record ./PROGRAM")
	}
	if uid := strings.Fields(p.status("Uid")); len(uid) > 0 && uid[0] != strconv.Itoa(os.Geteuid()) && os.Geteuid() != 0 {
		return denied("process %d is user %s's: only they and root may trace it", p.PID, uid[0])
	}
	return denied("the kernel doesn't let process %d be traced (%v): in a container that wants the capability SYS_PTRACE; a program that has given up rights, or forbids it (prctl PR_SET_DUMPABLE), can be traced by root only", p.PID, err)
}

// Read fills b with memory of the process.
func (p *Process) Read(at uint64, b []byte) error {
	if _, err := p.mem.ReadAt(b, int64(at)); err != nil {
		if errors.Is(err, io.EOF) || !p.Alive() { // exec has taken the memory away
			return ErrGone
		}
		return fmt.Errorf("read %#x of process %d: %w", at, p.PID, err)
	}
	return nil
}

// Bytes returns n bytes of the process's memory.
func (p *Process) Bytes(at uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	return b, p.Read(at, b)
}

// Words returns the words at some distances from an address; all 0 if they can't be read.
func (p *Process) Words(at uint64, distances ...uint64) []uint64 {
	n := uint64(0)
	for _, d := range distances {
		n = max(n, d+8)
	}
	words := make([]uint64, len(distances))
	if b, err := p.Bytes(at, int(n)); err == nil {
		for i, d := range distances {
			words[i] = binary.LittleEndian.Uint64(b[d:])
		}
	}
	return words
}

// Word returns the word at an address; 0 if it can't be read.
func (p *Process) Word(at uint64) uint64 { return p.Words(at, 0)[0] }

// Write writes to the process's memory, whatever its protection.
func (p *Process) Write(at uint64, b []byte) error {
	if _, err := p.mem.WriteAt(b, int64(at)); err != nil {
		if errors.Is(err, io.ErrShortWrite) || !p.Alive() {
			return ErrGone
		}
		return fmt.Errorf("write %#x of process %d: %w", at, p.PID, err)
	}
	return nil
}

// A Mapping is a part of a process's address space.
type Mapping struct {
	Low, High, Offset uint64
	Access            string // as "r-xp"
	Name              string
}

// Mappings returns the process's address space, in the order of addresses.
func (p *Process) Mappings() ([]Mapping, error) {
	b, err := os.ReadFile(p.file("maps"))
	if errors.Is(err, fs.ErrPermission) {
		return nil, p.refused(err)
	}
	if err != nil || len(b) == 0 {
		return nil, ErrGone
	}
	var list []Mapping
	for _, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		fields := strings.SplitN(line, " ", 6)
		if len(fields) < 6 {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		m := Mapping{Access: fields[1], Name: strings.TrimSpace(fields[5])}
		m.Low, _ = strconv.ParseUint(low, 16, 64)
		m.High, _ = strconv.ParseUint(high, 16, 64)
		m.Offset, _ = strconv.ParseUint(fields[2], 16, 64)
		list = append(list, m)
	}
	return list, nil
}

// Fresh reports whether the process has not run since exec.
func (p *Process) Fresh() bool { return p.fresh }
