//go:build linux && amd64

package patch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Target is a process whose functions can be patched.
type Target struct {
	Image   *image.Image
	Program string // path of the executable
	// Restored is how many jumps a killed waymark had left, which have been undone.
	Restored int

	process *stopped.Process
	bias    uint64 // what its addresses are more than the file's
	work    chan func()
	ended   chan struct{}

	memory    []byte   // shared with the process
	shared    *os.File // the same
	at, code  uint64   // addresses of the memory and of the trampolines, in the process
	writer    *trampoline.Writer
	written   int     // bytes of it that the process has
	sites     []*Site // by number; 0 is none
	marks     []*Site
	known     map[*image.Func]*Site
	lines     map[*Line]*Site
	drain     drain
	values    *Values // nil: none are copied
	types     *capture.Types
	failures  map[*image.Func]*capture.Piece
	closeOnce sync.Once
	closeErr  error
}

// memoryName is the name of the shared memory, as mappings show it.
const memoryName = "waymark-attach"

const (
	arenaSize = 64 << 20
	codeRoom  = 96 << 20 // addresses for trampolines; what isn't written takes no memory
	size      = trampoline.Chunks + arenaSize
)

// Forbid is the variable in a program's environment that forbids to patch it, with the value 0.
const Forbid = "WAYMARK_ATTACH"

// Attach opens a process. Nothing is changed in it yet. The error is an *image.Refusal if the program can't be
// patched. Patches that a killed waymark has left are undone. A program that waymark has built is refused, unless built
// says that such are meant, too: their functions are better asked by their own socket.
func Attach(pid int, built bool) (*Target, error) {
	t := newTarget()
	err := t.do(func() error {
		err := t.open(pid, stopped.Open)
		if err == nil && t.Image.Built && !built {
			err = refuseBuilt(t.Image.Path)
			t.process.Close()
			t.Image.Close()
		}
		return err
	})
	if err != nil {
		t.finish()
		return nil, err
	}
	return t, nil
}

// Start starts a program that is patched before its first instruction: it waits until Run is called. cmd is not started
// yet, and is waited for as any other.
func Start(cmd *exec.Cmd) (*Target, error) {
	t := newTarget()
	err := t.do(func() error {
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = new(syscall.SysProcAttr)
		}
		cmd.SysProcAttr.Ptrace = true
		if err := cmd.Start(); err != nil {
			return err
		}
		err := t.open(cmd.Process.Pid, stopped.Start)
		if err == nil && t.Image.Built {
			err = refuseBuilt(t.Image.Path)
		}
		if err != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
		return err
	})
	if err != nil {
		t.finish()
		return nil, err
	}
	return t, nil
}

func refuseBuilt(path string) error {
	return &image.Refusal{Why: path + " was built by waymark, and listens with WAYMARK=socket, or without WAYMARK=agent=0"}
}

// Run lets a program go on that Start has started.
func (t *Target) Run() { t.do(func() error { t.process.Run(); return nil }) }

func newTarget() *Target {
	t := &Target{work: make(chan func()), ended: make(chan struct{}), known: make(map[*image.Func]*Site), lines: make(map[*Line]*Site), sites: []*Site{nil}}
	go t.loop()
	return t
}

// loop executes what concerns the process's threads, on one thread.
func (t *Target) loop() {
	runtime.LockOSThread()
	defer close(t.ended)
	for {
		var tick <-chan time.Time
		if t.process != nil && t.process.Late() {
			tick = time.After(10 * time.Millisecond)
		}
		select {
		case f, ok := <-t.work:
			if !ok {
				return
			}
			f()
		case <-tick:
		}
	}
}

func (t *Target) do(f func() error) (err error) {
	done := make(chan struct{})
	t.work <- func() {
		defer close(done)
		err = f()
	}
	<-done
	return err
}

func (t *Target) finish() {
	close(t.work)
	<-t.ended
}

// PID returns the process's id.
func (t *Target) PID() int { return t.process.PID }

// Alive reports whether the process has not ended.
func (t *Target) Alive() bool { return t.process.Alive() }

func (t *Target) open(pid int, open func(int) (*stopped.Process, error)) (err error) {
	if t.Image, t.Program, err = imageOf(pid); err != nil {
		return err
	}
	if t.process, err = open(pid); err != nil {
		t.Image.Close()
		return err
	}
	defer func() {
		if err != nil {
			t.process.Close()
			t.Image.Close()
		}
	}()
	if err := allowed(pid); err != nil { // a program that was just started has no environment before
		return err
	}
	if t.bias, err = biasOf(t.process, t.Image); err != nil {
		return err
	}
	t.process.Probe(t.Image.Text.Low + t.bias)
	switch left, by, err := t.traces(); {
	case err != nil:
		return err
	case by != 0:
		return takenBy(pid, by)
	case left != nil:
		return t.mend(left)
	}
	return nil
}

// allowed returns an error if the program's environment forbids to patch it.
func allowed(pid int) error {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, v := range bytes.Split(environ, []byte{0}) {
		if string(v) == Forbid+"=0" {
			return &image.Refusal{Why: fmt.Sprintf("process %d forbids to be patched: %s=0 is in its environment", pid, Forbid)}
		}
	}
	return nil
}

// imageOf returns a process's executable, as the process runs it, and its path.
func imageOf(pid int) (*image.Image, string, error) {
	link := fmt.Sprintf("/proc/%d/exe", pid)
	path, err := os.Readlink(link)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("there is no process %d", pid)
	}
	if err != nil {
		return nil, "", err
	}
	path = strings.TrimSuffix(path, " (deleted)")
	im, err := image.Open(link)
	if refused := (*image.Refusal)(nil); errors.As(err, &refused) {
		return nil, "", &image.Refusal{Why: strings.ReplaceAll(refused.Why, link, path)}
	}
	return im, path, err
}

// biasOf returns what a process's addresses are more than those of its executable.
func biasOf(p *stopped.Process, im *image.Image) (uint64, error) {
	list, err := p.Mappings()
	if err != nil {
		return 0, err
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	if err != nil {
		return 0, err
	}
	for _, m := range list {
		if m.Name == exe && m.Offset == 0 {
			return m.Low - im.Segments.Low&^(image.PageSize-1), nil
		}
	}
	return 0, fmt.Errorf("process %d has not mapped its executable %s", p.PID, filepath.Base(exe))
}

// room returns where a stub may stand: behind the code, or over a function that only debuggers call.
func (t *Target) room() (stopped.Room, error) {
	im := t.Image
	r := stopped.Room{Inside: func(pc uint64) bool { return im.Text.Contains(pc - t.bias) }}
	if im.Slack.Len() >= stopped.StubSize {
		r.At = im.Slack.Low + t.bias
		return r, nil
	}
	if f := im.Named("runtime.debugCallV2"); f != nil && f.End-f.Entry >= stopped.StubSize {
		r.At = f.Entry + t.bias
		return r, nil
	}
	return r, &image.Refusal{Why: fmt.Sprintf("%s has no room for %d bytes of code", t.Program, stopped.StubSize)}
}

// ErrTaken is the error of a process that another waymark has patched.
var ErrTaken = errors.New("is patched by another waymark just now")

func takenBy(pid, by int) error {
	return fmt.Errorf("process %d %w, process %d: one can at a time, try again when that has ended", pid, ErrTaken, by)
}

// share has the process map the memory for events and the room for trampolines, and maps the memory here.
func (t *Target) share() (err error) {
	if t.memory != nil {
		return nil
	}
	if l, by, err := t.traces(); err != nil {
		return err
	} else if l != nil {
		return takenBy(t.process.PID, by)
	}
	room, err := t.room()
	if err != nil {
		return err
	}
	if t.at, err = t.gap(size + codeRoom); err != nil {
		return err
	}
	t.code = t.at + size
	defer func() {
		if err != nil {
			t.unmap(nil, &left{t.at, size, t.code, codeRoom}) // what there is of it
			t.forget()
		}
	}()
	const flags = unix.MAP_FIXED_NOREPLACE
	err = t.process.Make(room, append([]byte(memoryName), 0),
		stopped.Call{Number: unix.SYS_MEMFD_CREATE, Arguments: []int64{stopped.Data, unix.MFD_CLOEXEC}},
		stopped.Call{Number: unix.SYS_FTRUNCATE, Arguments: []int64{stopped.Result, size}},
		stopped.Call{Number: unix.SYS_MMAP, Arguments: []int64{int64(t.at), size, unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | flags, stopped.Result, 0}},
		stopped.Call{Number: unix.SYS_MMAP, Arguments: []int64{int64(t.code), codeRoom, unix.PROT_READ | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | flags, -1, 0}})
	if err != nil {
		return err
	}
	fd, err := t.take()
	if err != nil {
		return err
	}
	if err := t.process.Make(room, nil, stopped.Call{Number: unix.SYS_CLOSE, Arguments: []int64{int64(fd)}}); err != nil {
		return err
	}
	if err := t.mapped(); err != nil {
		return err
	}
	began, _ := stopped.Began(os.Getpid())
	for at, v := range map[int]uint64{trampoline.HeadMagic: trampoline.Magic, trampoline.HeadTracer: uint64(os.Getpid()), trampoline.HeadStart: began,
		trampoline.HeadCode: t.code} {
		binary.LittleEndian.PutUint64(t.memory[at:], v)
	}
	t.writer = trampoline.New(&t.Image.Layout, t.at, t.code)
	if t.values != nil {
		t.writer.UseHeap(t.values.heap, t.bias)
	}
	t.addMarks()
	t.drain.begin(t)
	return nil
}

// descriptors returns the process's descriptors of the memory that it shares.
func (t *Target) descriptors() (list []int) {
	dir := fmt.Sprintf("/proc/%d/fd", t.process.PID)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if to, _ := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(to, "/memfd:"+memoryName) {
			list = append(list, fd)
		}
	}
	return list
}

// take maps the memory that the process has just made, and returns the process's descriptor of it.
func (t *Target) take() (fd int, err error) {
	list := t.descriptors()
	if len(list) == 0 {
		return 0, &image.Refusal{Why: fmt.Sprintf("process %d may not make memory that it shares (memfd_create): a filter of system calls (seccomp) forbids it", t.process.PID)}
	}
	fd = list[0]
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", t.process.PID, fd), os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	t.shared = f
	if !isMemory(f, t.process.PID) {
		return 0, fmt.Errorf("process %d has a file of another kind in the place of its memory", t.process.PID)
	}
	if t.memory, err = syscall.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return 0, os.NewSyscallError("mmap", err)
	}
	return fd, nil
}

// isMemory reports whether a file is memory that a process has just made: a name doesn't say so, which a process in other
// namespaces can give to any file that it may read.
func isMemory(f *os.File, pid int) bool {
	var st, process syscall.Stat_t
	var fs syscall.Statfs_t
	const tmpfs = 0x01021994
	return syscall.Fstat(int(f.Fd()), &st) == nil && syscall.Stat(fmt.Sprintf("/proc/%d", pid), &process) == nil && syscall.Fstatfs(int(f.Fd()), &fs) == nil &&
		fs.Type == tmpfs && st.Nlink == 0 && st.Uid == process.Uid && st.Size == size
}

// mapped checks that the process has mapped memory and room.
func (t *Target) mapped() error {
	list, err := t.process.Mappings()
	if err != nil {
		return err
	}
	found := 0
	for _, m := range list {
		if m.Low == t.at && m.Access[:2] == "rw" || m.Low == t.code && m.Access[:3] == "r-x" {
			found++
		}
	}
	if found < 2 {
		return &image.Refusal{Why: fmt.Sprintf("process %d may not map executable memory near its code: a filter of system calls (seccomp), SELinux or a limit of memory forbids it", t.process.PID)}
	}
	return nil
}

// gap returns the lowest address behind the program where n bytes are free, and in reach of jumps.
func (t *Target) gap(n uint64) (uint64, error) {
	const reach, behind, step = 2<<30 - 64<<20, 256 << 20, 1 << 20 // behind: the heap that libraries of C grow
	list, err := t.process.Mappings()
	if err != nil {
		return 0, err
	}
	low, high := t.Image.Segments.Low+t.bias, t.Image.Segments.High+t.bias
	at := (high + behind + step - 1) &^ (step - 1)
	for _, m := range list {
		if m.High <= at {
			continue
		}
		if m.Low >= at+n {
			break
		}
		at = (m.High + step - 1) &^ (step - 1)
	}
	if at+n > low+reach {
		return 0, &image.Refusal{Why: fmt.Sprintf("process %d has no %d MB of addresses free in reach of its code", t.process.PID, n>>20)}
	}
	return at, nil
}

// left is what a waymark has in a process: memory, and trampolines, of whose room so many bytes are used.
type left struct{ at, size, code, used uint64 }

// traces returns what another waymark has in the process, nil: nothing. by is the id of that waymark if it runs.
func (t *Target) traces() (l *left, by int, err error) {
	list, err := t.process.Mappings()
	if err != nil {
		return nil, 0, err
	}
	for _, m := range list {
		if !strings.HasPrefix(m.Name, "/memfd:"+memoryName) {
			continue
		}
		head, err := t.process.Bytes(m.Low, 64)
		if err != nil {
			return nil, 0, err
		}
		word := func(at int) uint64 { return binary.LittleEndian.Uint64(head[at:]) }
		l = &left{at: m.Low, size: m.High - m.Low, code: m.High, used: codeRoom}
		if word(trampoline.HeadMagic) == trampoline.Magic {
			l.code, l.used = word(trampoline.HeadCode), min(word(trampoline.HeadUsed), codeRoom)
			if began, err := stopped.Began(int(word(trampoline.HeadTracer))); err == nil && began == word(trampoline.HeadStart) && int(word(trampoline.HeadTracer)) != os.Getpid() {
				return l, int(word(trampoline.HeadTracer)), nil
			}
		}
		return l, 0, nil
	}
	return nil, 0, nil
}

// address returns the address in the process of what is at an offset in the memory.
func (t *Target) address(offset int) uint64 { return t.at + uint64(offset) }

const chunks = arenaSize / format.ChunkSize
