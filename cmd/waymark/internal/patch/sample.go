//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
)

// A State is what a goroutine does.
type State int

// States of goroutines.
const (
	Runs    State = iota // its thread uses a CPU, or is about to
	Ready                // it waits for a thread
	Syscall              // it is in a system call, or in C
	Waits
)

// A Seen is a goroutine as it was when a Sampler looked.
type Seen struct {
	State State
	Stack []image.Frame // the innermost first; of what runs without a goroutine, those of the runtime
}

// A Sample is what was seen at a moment.
type Sample struct {
	Seen    []Seen
	Live    int           // goroutines that the program has
	Counted int           // those of them that were looked at: a part, if there are too many
	Stopped time.Duration // of all threads that were stopped, one after the other
	CPU     time.Duration // that this process took for it
}

// A Sampler looks at what a program's goroutines do. It patches nothing. A thread that runs is
// stopped while its stack is read; of goroutines that wait the stacks are read as they lie in
// memory.
type Sampler struct {
	t     *Target
	known map[uint64]spot
}

// A spot is what is known of an instruction.
type spot struct {
	frames []image.Frame
	depth  int // of the function's frame, bytes; below 0: it isn't known, and there is no going on
}

// Sampler returns one for the process.
func (t *Target) Sampler() *Sampler { return &Sampler{t: t, known: make(map[uint64]spot)} }

const (
	mostFrames  = 128      // of a stack
	runningRoom = 64 << 10 // bytes that are read of a stack
	waitingRoom = 8 << 10
)

// Sample looks at the threads that run, and at so many goroutines besides, at most.
func (s *Sampler) Sample(most int) (sample Sample, err error) {
	err = s.t.do(func() error {
		began := threadCPU()
		defer func() { sample.CPU = threadCPU() - began }()
		seen := make(map[uint64]bool)
		if err := s.running(&sample, seen); err != nil {
			return err
		}
		return s.others(&sample, seen, most)
	})
	return sample, err
}

// threadCPU returns the time that this thread has used a CPU.
func threadCPU() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A memory is a stack from an address on.
type memory struct {
	at uint64
	b  []byte
}

func (p memory) word(at uint64) (uint64, bool) {
	if i := at - p.at; at >= p.at && i+8 <= uint64(len(p.b)) {
		return binary.LittleEndian.Uint64(p.b[i:]), true
	}
	return 0, false
}

// memory reads a stack from sp on.
func (s *Sampler) memory(sp, high uint64, most int) memory {
	if sp == 0 || sp >= high {
		return memory{}
	}
	b, _ := s.t.process.Bytes(sp, int(min(high-sp, uint64(most))))
	return memory{sp, b}
}

// running looks at the threads that run. It notes the goroutines that were seen.
func (s *Sampler) running(sample *Sample, seen map[uint64]bool) error {
	machines, err := s.t.machineIDs()
	if err != nil {
		return err
	}
	l := &s.t.Image.Layout
	s.t.process.Late()
	for inner, id := range s.t.process.Running() {
		m, ok := machines[inner]
		if !ok {
			continue
		}
		var pc, sp, bp, goroutine uint64
		var own, system memory // stacks of the goroutine, and of the thread
		var saved []uint64     // where the goroutine goes on: sp, pc
		still, err := s.t.process.Glance(id, func(t *stopped.Thread) {
			pc, sp, bp = t.Regs.Rip, t.Regs.Rsp, t.Regs.Rbp
			w := s.t.process.Words(m, l.MG0, l.MCurrent)
			if w[1] != 0 {
				g := s.t.process.Words(w[1], l.GStackLo, l.GStackHi, l.GGoid, l.GSP, l.GPC)
				goroutine, saved = g[2], g[3:]
				if sp >= g[0] && sp < g[1] {
					own = s.memory(sp, g[1], runningRoom)
				} else {
					own = s.memory(g[3], g[1], runningRoom)
				}
			}
			if g := s.t.process.Words(w[0], l.GStackLo, l.GStackHi); sp >= g[0] && sp < g[1] {
				system = s.memory(sp, g[1], waitingRoom)
			}
		})
		sample.Stopped += still
		if err != nil {
			return err
		}
		seen[goroutine] = true
		var stack []image.Frame
		if system.b != nil {
			stack = s.walk(nil, system, pc, sp, bp)
			if saved != nil {
				stack = s.walk(stack, own, saved[1], saved[0], 0)
			}
		} else if own.b != nil && own.at == sp {
			stack = s.walk(nil, own, pc, sp, bp)
		}
		if len(stack) > 0 {
			sample.Seen = append(sample.Seen, Seen{Runs, stack})
		}
	}
	return nil
}

// machineIDs returns the addresses of the runtime's Ms by the ids of their threads. The process may
// run.
func (t *Target) machineIDs() (map[int]uint64, error) {
	const most = 1 << 16
	l := &t.Image.Layout
	ids := make(map[int]uint64)
	m := t.process.Word(t.Image.Var("allm") + t.bias)
	for range most {
		if m == 0 {
			return ids, nil
		}
		w := t.process.Words(m, l.MProcID, l.MAll)
		ids[int(w[0])], m = m, w[1]
	}
	return nil, t.strange("its list of threads has no end")
}

// What the runtime has as g.atomicstatus.
const (
	gRunnable, gRunning, gSyscall, gWaiting, gCopystack, gPreempted, gLeaked = 1, 2, 3, 4, 8, 9, 10

	gScan = 0x1000
)

var states = map[uint32]State{gRunnable: Ready, gSyscall: Syscall, gWaiting: Waits, gPreempted: Ready}

// live are the states of goroutines that have begun and not ended: the runtime keeps others for
// later ones.
var live = []uint32{gRunnable, gRunning, gSyscall, gWaiting, gCopystack, gPreempted, gLeaked}

// A parked goroutine is one that doesn't run.
type parked struct {
	goroutine, sp, pc, high uint64
	state                   State
}

// others looks at goroutines that don't run, but for those that were seen already.
func (s *Sampler) others(sample *Sample, seen map[uint64]bool, most int) error {
	const mostListed = 1 << 14 // of the runtime's list, from somewhere on; what is live in the rest is estimated
	l := &s.t.Image.Layout
	all := s.t.process.Words(s.t.Image.Var("allgs")+s.t.bias, 0, 8)
	n := int(all[1])
	listed := min(n, mostListed)
	b, err := s.t.process.Bytes(all[0]+8*uint64(rand.IntN(n-listed+1)), listed*8)
	if err != nil || listed == 0 {
		return nil // the list has just been replaced by a longer one
	}
	list := make([]uint64, listed)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	found := list[:0:0]
	s.each(list, l.GStatus, 4, func(g uint64, b []byte) {
		if slices.Contains(live, binary.LittleEndian.Uint32(b)&^gScan) {
			found = append(found, g)
		}
	})
	sample.Live = len(found) * n / listed
	sample.Counted = min(len(found), most)
	first := rand.IntN(len(found) - sample.Counted + 1)
	list = found[first:][:sample.Counted]
	before := s.parked(list)
	stacks := make(map[uint64]memory)
	for g, p := range before {
		if !seen[p.goroutine] {
			stacks[g] = s.memory(p.sp, p.high, waitingRoom)
		}
	}
	after := s.parked(list)
	for g, stack := range stacks {
		p := before[g]
		if p != after[g] { // it has run meanwhile: what was read of its stack needn't fit together
			continue
		}
		if frames := s.walk(nil, stack, p.pc, p.sp, 0); len(frames) > 0 {
			if p.state == Syscall && frames[0].Function == "runtime.notetsleepg" { // the runtime's own way to wait
				p.state = Waits
			}
			sample.Seen = append(sample.Seen, Seen{p.state, frames})
		}
	}
	return nil
}

// parked returns the goroutines of a list that don't run, by their addresses.
func (s *Sampler) parked(list []uint64) map[uint64]parked {
	l := &s.t.Image.Layout
	found := make(map[uint64]parked)
	s.each(list, 0, int(max(l.GStackHi, l.GSP, l.GPC, l.GStatus, l.GGoid)+8), func(g uint64, b []byte) {
		word := func(at uint64) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
		if state, ok := states[uint32(word(l.GStatus))&^gScan]; ok {
			found[g] = parked{word(l.GGoid), word(l.GSP), word(l.GPC), word(l.GStackHi), state}
		}
	})
	return found
}

// each calls do with so many bytes of each goroutine of a list, from an offset on.
func (s *Sampler) each(list []uint64, offset uint64, size int, do func(g uint64, b []byte)) {
	const batch = 512 // of what the kernel reads at once
	buf := make([]byte, batch*size)
	for some := range slices.Chunk(list, batch) {
		remote := make([]unix.RemoteIovec, len(some))
		for i, g := range some {
			remote[i] = unix.RemoteIovec{Base: uintptr(g + offset), Len: size}
		}
		local := []unix.Iovec{{Base: &buf[0]}}
		local[0].SetLen(len(some) * size)
		n, err := unix.ProcessVMReadv(s.t.process.PID, local, remote, 0)
		if err != nil {
			continue
		}
		for i := range n / size {
			do(some[i], buf[i*size:][:size])
		}
	}
}

// walk appends the calls on a stack, from an instruction on. bp helps where the instruction isn't
// the program's.
func (s *Sampler) walk(list []image.Frame, stack memory, pc, sp, bp uint64) []image.Frame {
	back := uint64(0) // a return address stands behind its call
	for range mostFrames {
		p, ok := s.spot(pc-s.t.bias-back, back == 0)
		if !ok { // of C, the kernel's vdso, or a trampoline
			if back > 0 || bp == 0 {
				break
			}
			sp, bp = bp+8, 0
		} else {
			list = append(list, p.frames...)
			if p.depth < 0 {
				break
			}
			sp += uint64(p.depth)
		}
		if pc, ok = stack.word(sp); !ok || pc == 0 {
			break
		}
		sp, back = sp+8, 1
	}
	return list
}

// spot returns what is known of an instruction.
func (s *Sampler) spot(pc uint64, first bool) (spot, bool) {
	if p, ok := s.known[pc]; ok {
		return p, p.frames != nil
	}
	p := spot{depth: -1}
	if f := s.t.Image.At(pc); f != nil {
		p.frames = s.t.Image.Frames(pc)
		if depth, ok := f.Depth().At(pc); ok && (first || !f.WritesSP()) {
			p.depth = int(depth)
		}
	}
	const most = 1 << 16
	if len(s.known) < most {
		s.known[pc] = p
	}
	return p, p.frames != nil
}
