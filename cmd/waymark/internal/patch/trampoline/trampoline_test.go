package trampoline

import (
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// All code is what a disassembler reads: it calls nothing, and jumps to beginnings of instructions, or back to the
// functions. It writes only registers that are free there.
func TestCode(t *testing.T) {
	program, err := exec.LookPath("go")
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		t.Skip("there is no go command")
	}
	im, err := image.Open(program)
	if err != nil {
		t.Skip(err) // on another platform
	}
	defer im.Close()
	const base = 1 << 29
	w := New(&im.Layout, base, base+Chunks)
	type made struct {
		plan *displace.Plan
		list []Trampoline
	}
	var all []made
	for _, f := range im.Funcs {
		if p, err := displace.Of(f); err == nil && len(all) < 500 {
			before := len(w.Bytes())
			all = append(all, made{p, w.Add(p, uint32(len(all)+1), Record{Callers: len(all) % 3 * MostCallers / 2}, 0)})
			if n := len(w.Bytes()) - before; n > Room(p, Record{}) {
				t.Errorf("%s: %d bytes, more than %d", f.Name, n, Room(p, Record{}))
			}
		}
	}
	for i := range Marks {
		m := &Marks[i]
		p, err := m.Plan(im)
		if p == nil || err != nil {
			t.Logf("%s: %v", m.Function, err)
			continue
		}
		list := w.AddMark(p, m, uint32(MostSites-1-i), 0)
		all = append(all, made{p, list})
		if m.enter != nil {
			checkRestored(t, m, w.Bytes()[list[0].Start-w.base:], list[0].Start)
		}
	}
	copied := make(map[uint64]bool) // where displaced instructions stand
	for _, m := range all {
		for _, tr := range m.list {
			for _, at := range tr.Copies {
				copied[at] = true
			}
		}
	}
	start := uint64(base + Chunks)
	instructions := make(map[uint64]bool)
	type jump struct{ from, to uint64 }
	var jumps []jump
	for b := w.Bytes(); len(b) > 0; {
		at := start + uint64(len(w.Bytes())-len(b))
		x, err := x86asm.Decode(b, 64)
		if err != nil {
			t.Fatalf("%#x: %v: % x", at, err, b[:8])
		}
		instructions[at] = true
		b = b[x.Len:]
		if rel, ok := x.Args[0].(x86asm.Rel); ok {
			jumps = append(jumps, jump{at, at + uint64(x.Len) + uint64(int64(rel))})
		}
		if copied[at] {
			continue
		}
		switch x.Op {
		case x86asm.CALL, x86asm.PUSH, x86asm.POP, x86asm.RET:
			t.Errorf("%#x: %v", at, x)
		case x86asm.MOV, x86asm.LEA, x86asm.ADD, x86asm.SUB, x86asm.OR, x86asm.AND, x86asm.XOR, x86asm.SHL:
			if r, ok := x.Args[0].(x86asm.Reg); ok && !free(r) {
				t.Errorf("%#x: %v writes %v", at, x, r)
			}
		}
	}
	inside := image.Range{Low: start, High: start + uint64(len(w.Bytes()))}
	for _, j := range jumps {
		if inside.Contains(j.to) && !instructions[j.to] || !inside.Contains(j.to) && im.At(j.to) == nil {
			t.Errorf("%#x jumps to %#x, which is no instruction", j.from, j.to)
		}
	}
	if len(all) < 500 {
		t.Errorf("%d functions", len(all))
	}
}

// free reports whether trampolines may write a register, or save it before.
func free(r x86asm.Reg) bool {
	switch r {
	case x86asm.R14, x86asm.RBX, x86asm.R12, x86asm.R13, x86asm.R15, x86asm.R12L, x86asm.R13L, x86asm.R15L, x86asm.RAX, x86asm.RDX, x86asm.RCX, x86asm.EAX, x86asm.EDX, x86asm.ECX:
		return true
	}
	return false
}

// checkRestored checks that the code of a mark that sets r14 to another goroutine sets it back once, and that no jump leads
// to what is behind that.
func checkRestored(t *testing.T, m *Mark, code []byte, start uint64) {
	t.Helper()
	behind := uint64(0)
	targets := make(map[uint64]bool)
	for at := start; ; {
		x, err := x86asm.Decode(code[at-start:], 64)
		if err != nil || x.Op == x86asm.INT && x.Len == 1 || at-start > 2*448 {
			break
		}
		at += uint64(x.Len)
		if rel, ok := x.Args[0].(x86asm.Rel); ok {
			targets[at+uint64(int64(rel))] = true
		}
		if from, ok := x.Args[1].(x86asm.Mem); ok && x.Op == x86asm.MOV && x.Args[0] == x86asm.R14 && from.Base == x86asm.RSP {
			if behind != 0 {
				t.Errorf("%s: r14 is restored twice", m.Function)
			}
			behind = at
		}
		if at-start >= uint64(len(code)) {
			break
		}
	}
	if behind == 0 || targets[behind] || !targets[behind-8] {
		t.Errorf("%s: r14 is restored before %#x; jumps lead to %v", m.Function, behind, targets)
	}
}
