package image

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// InChild reports whether the function runs between fork and exec. There another process shares this one's
// memory and runs on its stack, and must leave no trace in it.
func (f *Func) InChild() bool {
	f.im.findChildren.Do(func() { f.im.inChild = f.im.children() })
	return f.im.inChild[f]
}

// forking are the functions that whoever forks calls in the child, or to become it.
var forking = []string{"syscall.runtime_AfterForkInChild", "syscall.rawVforkSyscall"}

// children returns the functions of package syscall and its like that fork, and all that they call.
func (im *Image) children() map[*Func]bool {
	found := make(map[*Func]bool)
	var next []*Func
	for _, f := range im.Funcs {
		switch f.Package() {
		case "syscall", "internal/syscall/unix", "golang.org/x/sys/unix":
			if slices.ContainsFunc(f.calls(), func(to *Func) bool { return slices.Contains(forking, to.Name) }) {
				next = append(next, f)
			}
		}
	}
	for len(next) > 0 {
		f := next[len(next)-1]
		next = next[:len(next)-1]
		if !found[f] && !f.Runtime() {
			found[f] = true
			next = append(next, f.calls()...)
		}
	}
	return found
}

// calls returns the functions that the code calls or jumps to, by their addresses.
func (f *Func) calls() (list []*Func) {
	code := f.Code()
	for at := 0; at < len(code); {
		x, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			break
		}
		at += x.Len
		rel, ok := x.Args[0].(x86asm.Rel)
		if !ok || x.Op != x86asm.CALL && x.Op != x86asm.JMP {
			continue
		}
		if to := f.im.At(f.Entry + uint64(at) + uint64(int64(rel))); to != nil && to != f {
			list = append(list, to)
		}
	}
	return list
}
