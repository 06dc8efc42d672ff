package displace

import (
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// Starts returns where the code of a statement begins, of the addresses of its parts in a function, in their order. It may
// begin in several places: the compiler may have copied it. Parts that come later are left out, and so are those that the
// compiler has moved ahead of the statement, such as what keeps a variable in memory in the loop before: the statement's
// own code follows them, and doesn't depend on them.
func Starts(f *image.Func, parts []uint64) ([]uint64, error) {
	if len(parts) < 2 {
		return parts, nil
	}
	b, err := decode(f)
	if err != nil {
		return nil, err
	}
	if b.indirect { // nobody knows what follows what
		return parts[:1], nil
	}
	g := b.graph()
	var indexes []int
	for _, pc := range parts {
		i, found := slices.BinarySearchFunc(b.list, pc, func(x Instruction, pc uint64) int { return int(int64(x.At) - int64(pc)) })
		if found {
			indexes = append(indexes, i)
		}
	}
	var starts []uint64
	for _, i := range indexes {
		first := true
		for _, j := range indexes {
			if i != j && (g.dominates(j, i) || g.follows(j, i) && !g.dominates(i, j)) {
				first = false
			}
		}
		if first {
			starts = append(starts, b.list[i].At)
		}
	}
	if len(starts) == 0 {
		starts = parts[:1]
	}
	return starts, nil
}

// A graph has the instructions that may come next after each, by index, and those that return.
type graph struct {
	next    [][]int
	returns []bool
}

// never are the beginnings of names of functions that don't return.
var never = []string{"runtime.panic", "runtime.goPanic", "runtime.gopanic", "runtime.throw", "runtime.fatal"}

func (b *body) graph() graph {
	index := make(map[uint64]int, len(b.list))
	for i := range b.list {
		index[b.list[i].At] = i
	}
	g := graph{make([][]int, len(b.list)), make([]bool, len(b.list))}
	for i := range b.list {
		x := &b.list[i]
		next := i+1 < len(b.list)
		switch {
		case x.Op == x86asm.RET || x.Op == x86asm.UD2 || x.Op == x86asm.CALL && b.ends(x):
			next, g.returns[i] = false, x.Op == x86asm.RET
		case x.jumps():
			to, _ := x.target()
			if at, ok := index[to]; ok {
				g.next[i] = append(g.next[i], at)
			}
			next = next && x.Op != x86asm.JMP
		}
		if next {
			g.next[i] = append(g.next[i], i+1)
		}
	}
	return g
}

// ends reports whether a call does not return.
func (b *body) ends(x *Instruction) bool {
	to, ok := x.target()
	return ok && b.calls(to, never)
}

// calls reports whether an address is of a function whose name begins in one of these ways.
func (b *body) calls(to uint64, names []string) bool {
	f := b.f.Other(to)
	return f != nil && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(f.Name, name) })
}

// reach reports whether done holds for an instruction that may come after one, or for that one, on a way on which avoid does
// not lie.
func (g graph) reach(from, avoid int, done func(int) bool) bool {
	if from == avoid {
		return false
	}
	seen := make([]bool, len(g.next))
	seen[from] = true
	for left := []int{from}; len(left) > 0; {
		i := left[len(left)-1]
		left = left[:len(left)-1]
		if done(i) {
			return true
		}
		for _, next := range g.next[i] {
			if next != avoid && !seen[next] {
				seen[next] = true
				left = append(left, next)
			}
		}
	}
	return false
}

// dominates reports whether each way to b leads through a.
func (g graph) dominates(a, b int) bool {
	return !g.reach(0, a, func(i int) bool { return i == b })
}

// follows reports whether there are ways from b to the function's end, and each leads through a.
func (g graph) follows(a, b int) bool {
	ends := func(i int) bool { return g.returns[i] }
	return g.reach(b, -1, ends) && !g.reach(b, a, ends)
}
