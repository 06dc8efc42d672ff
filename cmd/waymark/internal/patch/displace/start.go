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
// own code follows them, and doesn't depend on them. code is all of the statement's.
func Starts(f *image.Func, parts []uint64, code []image.Range) ([]uint64, error) {
	b, err := decode(f)
	if err != nil {
		return nil, err
	}
	if b.indirect { // nobody knows what follows what
		return parts[:1], nil
	}
	var indexes, moves []int
	barriers := false
	for _, pc := range parts {
		i, ok := b.index(pc)
		if !ok {
			continue
		}
		own, does := b.does(i, code)
		switch {
		case b.barrier(i):
			barriers = true
		case !does:
			moves = append(moves, i)
		case !slices.Contains(indexes, own):
			indexes = append(indexes, own)
		}
	}
	if len(indexes) == 0 {
		indexes = moves
	}
	if len(indexes) == 0 && barriers {
		return nil, ErrMixed
	}
	if len(indexes) == 1 {
		return []uint64{b.list[indexes[0]].At}, nil
	}
	g := b.graph()
	// What no way from the beginning reaches without a part comes after it, and what reaches no end
	// without it, before.
	without := make([][]bool, len(indexes))
	for k, i := range indexes {
		without[k] = g.reach(g.next, []int{0}, i)
	}
	later := make(map[int]bool)
	for k, j := range indexes {
		ends := g.reach(g.before, g.ends, j)
		for l, i := range indexes {
			dominates, follows := !without[k][i], g.ended[i] && !ends[i]
			if i != j && (dominates || follows && without[l][j]) {
				later[i] = true
			}
		}
	}
	var starts []uint64
	for _, i := range indexes {
		if !later[i] {
			starts = append(starts, b.list[i].At)
		}
	}
	if len(starts) == 0 {
		starts = parts[:1]
	}
	return starts, nil
}

// does returns where a part of a statement begins that does something. Where the part only moves a
// register to the stack or back it is what follows in straight code, if that is the statement's
// own: the compiler puts such moves where they suit, and says that they are of the next line that
// comes to its mind. ok is false if there is no such code.
func (b *body) does(part int, code []image.Range) (first int, ok bool) {
	first = part
	for i, own := part, true; ; i++ {
		x := &b.list[i]
		if before := own; slices.ContainsFunc(code, func(r image.Range) bool { return r.Contains(x.At) }) {
			if own = true; !before {
				first = i
			}
			if !x.keeps() {
				return first, true
			}
		} else {
			own = false
		}
		if b.leaves(i) {
			return 0, false
		}
	}
}

// leaves reports whether straight code ends with an instruction.
func (b *body) leaves(i int) bool {
	x := &b.list[i]
	return x.jumps() || x.Op == x86asm.RET || i+1 == len(b.list) || b.jumps[b.list[i+1].At] > 0
}

// barrier reports whether an instruction is in straight code that tells the garbage collector of
// pointers, while that runs. Pointers of several lines are told together.
func (b *body) barrier(i int) bool {
	for i > 0 && !b.leaves(i-1) {
		i--
	}
	for ; ; i++ {
		if x := &b.list[i]; x.Op == x86asm.CALL {
			if to, ok := x.target(); ok && b.calls(to, []string{"runtime.gcWriteBarrier", "runtime.wbMove", "runtime.wbZero"}) {
				return true
			}
		}
		if b.leaves(i) {
			return false
		}
	}
}

// A graph has the instructions that may come next after each, and before, by index.
type graph struct {
	next, before [][]int
	ends         []int  // those that return
	ended        []bool // an end may follow
}

// never are the beginnings of names of functions that don't return.
var never = []string{"runtime.panic", "runtime.goPanic", "runtime.gopanic", "runtime.throw", "runtime.fatal"}

func (b *body) graph() graph {
	g := graph{next: make([][]int, len(b.list)), before: make([][]int, len(b.list))}
	edge := func(from, to int) {
		g.next[from], g.before[to] = append(g.next[from], to), append(g.before[to], from)
	}
	for i := range b.list {
		x := &b.list[i]
		next := i+1 < len(b.list)
		switch {
		case x.Op == x86asm.RET:
			g.ends, next = append(g.ends, i), false
		case x.Op == x86asm.UD2 || x.Op == x86asm.CALL && b.ends(x):
			next = false
		case x.jumps():
			for _, to := range b.targets(i) {
				if at, ok := b.index(to); ok {
					edge(i, at)
				}
			}
			next = next && x.Op != x86asm.JMP
		}
		if next {
			edge(i, i+1)
		}
	}
	g.ended = g.reach(g.before, g.ends, -1)
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

// reach returns the instructions to which edges lead from some, these too, on ways on which avoid
// does not lie.
func (g graph) reach(edges [][]int, from []int, avoid int) (reached []bool) {
	reached = make([]bool, len(edges))
	var left []int
	for list := from; ; list, left = edges[left[len(left)-1]], left[:len(left)-1] {
		for _, i := range list {
			if i != avoid && !reached[i] {
				reached[i] = true
				left = append(left, i)
			}
		}
		if len(left) == 0 {
			return reached
		}
	}
}
