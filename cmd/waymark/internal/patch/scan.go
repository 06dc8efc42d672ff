//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
)

// A machine is one of the runtime's Ms: a thread.
type machine struct {
	thread                   *stopped.Thread // nil: it isn't known, or has ended
	system, signals, current uint64          // addresses of goroutines: of its own stack, of handlers of signals, of the one that it runs
}

// machines returns those of the process.
func (t *Target) machines() (list []machine, err error) {
	const most = 1 << 20
	l := &t.Image.Layout
	for m := t.process.Word(t.Image.Var("allm") + t.bias); m != 0; {
		w := t.process.Words(m, l.MG0, l.MSignal, l.MCurrent, l.MProcID, l.MAll)
		list = append(list, machine{t.process.Thread(int(w[3])), w[0], w[1], w[2]})
		if m = w[4]; len(list) > most {
			return nil, t.strange("its list of threads has no end")
		}
	}
	return list, nil
}

func (t *Target) strange(what string) error {
	return &image.Refusal{Why: fmt.Sprintf("the runtime of process %d isn't as %s has it: %s", t.process.PID, t.Image.Release, what)}
}

// check makes sure that the runtime's variables are where they are thought to be. A program that has not run yet has
// none.
func (t *Target) check() error {
	if t.process.Fresh() {
		return nil
	}
	list, err := t.machines()
	if err != nil {
		return err
	}
	known, l := 0, &t.Image.Layout
	for _, m := range list {
		if m.thread == nil {
			continue
		}
		known++
		w := t.process.Words(m.system, l.GStackLo, l.GStackHi, l.GGoid)
		if w[0] == 0 || w[0] >= w[1] || w[2] != 0 {
			return t.strange("a thread has no stack")
		}
		if m.current == 0 {
			continue
		}
		if w = t.process.Words(m.current, l.GStackLo, l.GStackHi, l.GGoid); w[0] >= w[1] || w[2] == 0 || w[2] > 1<<48 {
			return t.strange("a goroutine has no stack, or no id")
		}
	}
	if known == 0 {
		return t.strange("none of its threads is known")
	}
	return nil
}

// references calls found with each word that something outside of registers may lead back to: those on the stacks of
// handlers of signals, and of goroutines that run, and with parked addresses where goroutines go on that the runtime
// has interrupted.
func (t *Target) references(parked bool, found func(word uint64)) error {
	list, err := t.machines()
	if err != nil {
		return err
	}
	running := make(map[uint64]bool)
	l := &t.Image.Layout
	for _, m := range list {
		running[m.current] = true
		sp := uint64(0)
		if m.thread != nil { // else it isn't known where it is: all of the goroutine's stack is looked at
			sp = m.thread.Regs.Rsp
		}
		for _, g := range []uint64{m.signals, m.current} {
			if g == 0 {
				continue
			}
			stack := t.process.Words(g, l.GStackLo, l.GStackHi)
			low, high := stack[0], stack[1]
			if sp >= low && sp < high {
				low = sp // below are registers of trampolines that were interrupted, and over
			} else if g == m.signals { // no handler runs
				continue
			}
			if err := t.words(low, high, found); err != nil {
				return err
			}
		}
	}
	if !parked {
		return nil
	}
	return t.interrupted(running, found)
}

// words calls found with each word of a stack.
func (t *Target) words(low, high uint64, found func(uint64)) error {
	const most = 1 << 30
	if low &^= 7; high <= low || high-low > most {
		return nil
	}
	b, err := t.process.Bytes(low, int(high-low))
	if err != nil {
		return err
	}
	for i := 0; i+8 <= len(b); i += 8 {
		found(binary.LittleEndian.Uint64(b[i:]))
	}
	return nil
}

// interrupted calls found with the addresses where goroutines go on that don't run, and that were interrupted where
// they made no call.
func (t *Target) interrupted(running map[uint64]bool, found func(uint64)) error {
	l := &t.Image.Layout
	all := t.process.Words(t.Image.Var("allgs")+t.bias, 0, 8)
	if all[1] == 0 {
		return nil
	}
	list, err := t.process.Bytes(all[0], int(all[1])*8)
	if err != nil {
		return err
	}
	const batch = 512 // of what the kernel reads at once
	size := int(max(l.GAsync+1, l.GBP+8))
	buf := make([]byte, batch*size)
	remote := make([]unix.RemoteIovec, 0, batch)
	for len(list) > 0 {
		remote = remote[:0]
		for len(list) > 0 && len(remote) < batch {
			if g := binary.LittleEndian.Uint64(list); !running[g] {
				remote = append(remote, unix.RemoteIovec{Base: uintptr(g), Len: size})
			}
			list = list[8:]
		}
		if len(remote) == 0 {
			continue
		}
		local := []unix.Iovec{{Base: &buf[0]}}
		local[0].SetLen(len(remote) * size)
		if n, err := unix.ProcessVMReadv(t.process.PID, local, remote, 0); err != nil || n < len(remote)*size {
			return fmt.Errorf("read goroutines of process %d: %w", t.process.PID, err)
		}
		for i := range remote {
			g := buf[i*size:]
			if g[l.GAsync] == 0 {
				continue
			}
			// asyncPreempt has called asyncPreempt2, which parked it. Both have frame pointers.
			frame := t.process.Word(binary.LittleEndian.Uint64(g[l.GBP:]))
			found(t.process.Word(frame + 8))
		}
	}
	return nil
}

// occupied returns the sites that something outside of threads' registers leads back into.
func (t *Target) occupied(places []*patch) (map[*Site]bool, error) {
	busy := make(map[*Site]bool)
	if t.process.Fresh() {
		return busy, nil
	}
	err := t.references(true, func(word uint64) {
		if p := find(places, word, t.bias); p != nil {
			busy[p.site] = true
		}
	})
	return busy, err
}
