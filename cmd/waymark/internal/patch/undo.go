//go:build linux && amd64

package patch

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/stopped"
)

// Close undoes all that was changed in the process, unless it has ended, and ends the connection with it. Events that
// were written until then can still be drained.
func (t *Target) Close() error {
	t.closeOnce.Do(func() {
		t.closeErr = t.do(func() error {
			err := t.undo()
			if errors.Is(err, stopped.ErrGone) || !t.process.Alive() {
				err = nil
			}
			t.process.Close()
			t.Image.Close()
			return err
		})
		t.finish()
	})
	return t.closeErr
}

func (t *Target) undo() error {
	if !t.process.Alive() {
		return nil
	}
	if t.memory == nil {
		if l, _, err := t.traces(); l == nil || err != nil {
			return err
		}
	}
	now := make(pages)
	var all []*patch
	for _, s := range t.sites[1:] {
		all = append(all, s.places...)
	}
	for _, p := range all {
		if err := t.read(now, p); err != nil {
			return err
		}
		if bytes.Equal(now.get(p.at, displace.Jump), p.jump()) {
			now.put(p.at, p.original)
		}
	}
	return t.restore(now, &left{t.at, size, t.code, codeRoom})
}

// restore writes pages as they were, waits until nothing leads into trampolines any more, and has the process
// unmap what a waymark has mapped in it.
func (t *Target) restore(ps pages, l *left) error {
	const tries = 2000
	trampolines := image.Range{Low: l.code, High: l.code + l.room}
	for try := 0; ; try++ {
		if err := t.process.Stop(); err != nil {
			return err
		}
		if try == 0 {
			if err := t.write(ps); err != nil {
				t.process.Resume()
				return err
			}
		}
		clear, err := t.leave(trampolines)
		t.process.Resume()
		if err != nil {
			return err
		}
		if clear {
			break
		}
		if try == tries {
			return fmt.Errorf("something in process %d still leads into what it was patched with: its code is as it was, and %d MB stay mapped; waymark reset %d tries again", t.process.PID, (l.room+l.size)>>20, t.process.PID)
		}
		time.Sleep(time.Millisecond)
	}
	return t.unmap(ps, l)
}

// leave has all threads leave the trampolines, and reports whether nothing leads into them any more.
func (t *Target) leave(trampolines image.Range) (clear bool, err error) {
	const most = 10_000 // instructions
	for _, thread := range t.process.Threads() {
		for n := 0; trampolines.Contains(thread.Regs.Rip); n++ {
			if s := thread.Signal; s == syscall.SIGSEGV || s == syscall.SIGBUS || n == most {
				return false, nil // the signal first
			}
			if err := t.process.Step(thread); err != nil {
				return false, err
			}
		}
	}
	if t.process.Fresh() {
		return true, nil
	}
	clear = true
	err = t.references(false, func(word uint64) { clear = clear && !trampolines.Contains(word) })
	return clear, err
}

// unmap has the process unmap memory and trampolines, and drop its own copies of pages that are as in the file.
func (t *Target) unmap(ps pages, l *left) error {
	room, err := t.room()
	if err != nil {
		return err
	}
	calls := []stopped.Call{
		{Number: unix.SYS_MUNMAP, Arguments: []int64{int64(l.code), int64(l.room)}},
		{Number: unix.SYS_MUNMAP, Arguments: []int64{int64(l.at), int64(l.size)}},
	}
	low, high := uint64(0), uint64(0)
	for at, b := range ps {
		original, err := t.Image.Page(at - t.bias)
		if err != nil || !bytes.Equal(b, original) {
			low, high = 0, 0 // another program's change would be lost
			break
		}
		if low == 0 || at < low {
			low = at
		}
		high = max(high, at+image.PageSize)
	}
	// The stub's own pages stay: it would be gone.
	stub := image.Range{Low: room.At &^ pageMask, High: (room.At + stopped.StubSize + pageMask) &^ pageMask}
	for _, r := range []image.Range{{Low: low, High: min(high, stub.Low)}, {Low: max(low, stub.High), High: high}} {
		if low != 0 && r.Low < r.High {
			calls = append(calls, stopped.Call{Number: unix.SYS_MADVISE, Arguments: []int64{int64(r.Low), int64(r.High - r.Low), unix.MADV_DONTNEED}})
		}
	}
	for _, fd := range t.descriptors() { // a kill between two stubs has left it
		calls = append(calls, stopped.Call{Number: unix.SYS_CLOSE, Arguments: []int64{int64(fd)}})
	}
	return t.process.Make(room, nil, calls...)
}

// mend undoes what a waymark has left that was killed.
func (t *Target) mend(l *left) error {
	at, n, err := t.differences()
	if err != nil {
		return err
	}
	now := make(pages)
	for _, page := range at {
		b, err := t.Image.Page(page - t.bias)
		if err != nil {
			return err
		}
		now[page] = b
	}
	if err := t.restore(now, l); err != nil {
		return err
	}
	t.Mended = n
	return nil
}

// differences returns the pages of the process's code that differ from the file, and how many bytes do.
func (t *Target) differences() (list []uint64, n int, err error) {
	code := t.Image.Code()
	now, err := t.process.Bytes(t.Image.Text.Low+t.bias, len(code))
	if err != nil {
		return nil, 0, err
	}
	if bytes.Equal(now, code) {
		return nil, 0, nil
	}
	for i := range code {
		if now[i] != code[i] {
			n++
			if page := (t.Image.Text.Low + t.bias + uint64(i)) &^ pageMask; len(list) == 0 || list[len(list)-1] != page {
				list = append(list, page)
			}
		}
	}
	return list, n, nil
}

// Differences returns how many bytes of the process's code differ from its file's.
func (t *Target) Differences() (n int, err error) {
	err = t.do(func() error {
		_, n, err = t.differences()
		return err
	})
	return n, err
}
