//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// A trampoline leaves its addresses in registers, which are saved below the stack pointer when the goroutine is interrupted.
// What is there leads nowhere: else a loop that uses few registers, and no more of its stack, would keep it for ever.
func TestBelowStack(t *testing.T) {
	w := start(t, builtOf(t, "cost", nil))
	fmt.Fprintln(w.in, 1<<40)
	target := w.attach()
	defer target.Close()
	const old = 0xC0FFEE
	running := 0
	err := target.do(func() error {
		if err := target.process.Stop(); err != nil {
			return err
		}
		defer target.process.Resume()
		list, err := target.machines()
		if err != nil {
			return err
		}
		for _, m := range list {
			if m.thread == nil || m.current == 0 {
				continue
			}
			running++
			if err := target.process.Write(m.thread.Regs.Rsp-32, binary.LittleEndian.AppendUint64(nil, old)); err != nil {
				return err
			}
		}
		return target.references(false, func(word uint64) {
			if word == old {
				t.Error("it is found")
			}
		})
	})
	if err != nil || running == 0 {
		t.Errorf("%d goroutines run, %v", running, err)
	}
}
