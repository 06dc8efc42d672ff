//go:build linux && amd64

package patch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
)

// Close undoes all that was changed in the process, unless it has ended, and ends the connection with it. What hinders it,
// such as a debugger, may be gone soon: it tries for some seconds.
func (t *Target) Close() error {
	t.closeOnce.Do(func() {
		const patience = 5 * time.Second
		t.closeErr = t.do(func() (err error) {
			for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
				if err = t.undo(); err == nil || errors.Is(err, stopped.ErrGone) || !t.process.Alive() {
					err = nil
					break
				}
				if time.Now().After(end) {
					err = fmt.Errorf("%w; waymark reset %d tries again", err, t.process.PID)
					break
				}
			}
			t.process.Close()
			t.Image.Close()
			t.forget()
			return err
		})
		t.finish()
	})
	return t.closeErr
}

// forget unmaps the memory here.
func (t *Target) forget() {
	if t.memory != nil {
		syscall.Munmap(t.memory)
		t.memory = nil
	}
	if t.shared != nil {
		t.shared.Close()
		t.shared = nil
	}
}

func (t *Target) undo() error {
	if t.memory == nil || !t.process.Alive() {
		return nil
	}
	var been []*Site
	for _, s := range slices.Concat(t.sites[1:], t.marks) {
		if s.left = false; s.been {
			been = append(been, s)
		}
	}
	return t.restore(changesOf(been, false), &left{t.at, size, t.code, uint64(t.written)})
}

// restore makes changes back, waits until nothing leads into trampolines any more, and has the process unmap what a
// waymark has mapped in it. A number on a stack may look as an address of a trampoline: so those count that are written,
// which are few. Where another program has changed a patch, the trampolines stay: it may change it back.
func (t *Target) restore(list []change, l *left) error {
	const tries = 2000
	trampolines := image.Range{Low: l.code, High: l.code + l.used}
	ps := pagesOf(list)
	if err := t.read(ps); err != nil { // see touch
		return err
	}
	for try := 0; ; try++ {
		if err := t.process.Stop(); err != nil {
			return err
		}
		others, err := t.look(ps, list, trampolines)
		if err == nil && try == 0 {
			err = t.put(ps)
		}
		clear := false
		if err == nil {
			clear, err = t.deserted(trampolines)
		}
		t.process.Resume()
		switch {
		case err != nil:
			return err
		case len(others) > 0:
			return fmt.Errorf("another program has changed %d of the patches in process %d, a debugger or a tracer of the system perhaps: end it; the others are undone", len(others), t.process.PID)
		case clear:
			return t.unmap(ps, l)
		case try == tries:
			return fmt.Errorf("something in process %d still leads into what it was patched with: its code is as it was, and %d MB stay mapped", t.process.PID, (codeRoom+l.size)>>20)
		}
		time.Sleep(time.Millisecond)
	}
}

// deserted reports whether nothing leads into the trampolines any more. Threads that are there go on by themselves, and leave
// them within some instructions: if they were stepped and this process killed meanwhile, the trap of a step would end the
// program.
func (t *Target) deserted(trampolines image.Range) (clear bool, err error) {
	for _, thread := range t.process.Threads() {
		if trampolines.Contains(thread.Regs.Rip) {
			return false, nil
		}
	}
	if t.process.Fresh() {
		return true, nil
	}
	clear = true
	err = t.references(false, func(word uint64) { clear = clear && !trampolines.Contains(word) })
	return clear, err
}

// unmap has the process unmap what a waymark has mapped, close descriptors that a kill has left, and drop its own copies
// of pages if all of its code is as in the file.
func (t *Target) unmap(ps *pages, l *left) error {
	room, err := t.room()
	if err != nil {
		return err
	}
	list, err := t.process.Mappings()
	if err != nil {
		return err
	}
	var calls []stopped.Call
	for _, m := range list { // nothing else may stand there: a mapping that failed left what was there
		if m.Low == l.at && strings.HasPrefix(m.Name, "/memfd:"+memoryName) || m.Low == l.code && m.Name == "" && m.Access == "r-xp" {
			calls = append(calls, stopped.Call{Number: unix.SYS_MUNMAP, Arguments: []int64{int64(m.Low), int64(m.High - m.Low)}})
		}
	}
	for _, fd := range t.descriptors() {
		calls = append(calls, stopped.Call{Number: unix.SYS_CLOSE, Arguments: []int64{int64(fd)}})
	}
	if _, differ, err := t.differences(); err == nil && differ == 0 && ps != nil && len(ps.runs) > 0 {
		// The stub's own pages stay: it would be gone.
		stub := image.Range{Low: room.At &^ pageMask, High: (room.At + stopped.StubSize + pageMask) &^ pageMask}
		last := ps.runs[len(ps.runs)-1]
		low, high := ps.runs[0].at, last.at+uint64(len(last.b))
		for _, r := range []image.Range{{Low: low, High: min(high, stub.Low)}, {Low: max(low, stub.High), High: high}} {
			if r.Low < r.High {
				calls = append(calls, stopped.Call{Number: unix.SYS_MADVISE, Arguments: []int64{int64(r.Low), int64(r.High - r.Low), unix.MADV_DONTNEED}})
			}
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return t.process.Make(room, nil, calls...)
}

// mend undoes what a waymark has left that was killed: jumps into its trampolines, and no changes of others.
func (t *Target) mend(l *left) error {
	code, differ, err := t.differences()
	if err != nil {
		return err
	}
	var list []change
	trampolines := image.Range{Low: l.code, High: l.code + l.used}
	for i := 0; differ > 0 && i+displace.Jump <= len(code); i++ {
		at := t.Image.Text.Low + t.bias + uint64(i)
		original := t.Image.Code()[i : i+displace.Jump]
		if at&pageMask > image.PageSize-displace.Jump {
			continue // no patch crosses a page
		}
		if patched(code[i:]) && trampolines.Contains(leads(at, code[i:])) && !bytes.Equal(code[i:i+displace.Jump], original) {
			list = append(list, change{nil, at, original, original})
			i += displace.Jump - 1
		}
	}
	if err := t.restore(list, l); err != nil {
		return err
	}
	t.Restored = len(list)
	return nil
}

// differences returns the process's code, and how many of its bytes differ from the file.
func (t *Target) differences() (now []byte, n int, err error) {
	code := t.Image.Code()
	if now, err = t.process.Bytes(t.Image.Text.Low+t.bias, len(code)); err != nil || bytes.Equal(now, code) {
		return now, 0, err
	}
	for i := range code {
		if now[i] != code[i] {
			n++
		}
	}
	return now, n, nil
}

// Differences returns how many bytes of the process's code differ from its file's.
func (t *Target) Differences() (n int, err error) {
	err = t.do(func() error {
		_, n, err = t.differences()
		return err
	})
	return n, err
}
