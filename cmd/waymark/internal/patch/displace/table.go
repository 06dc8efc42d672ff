package displace

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// mostCases is how many entries a table of jumps has at most: the compiler makes none so large.
const mostCases = 1 << 12

// findTables finds where jumps lead whose addresses the code computes. The compiler makes tables of
// switches:
//
//	CMPQ AX, $7
//	JHI  behind
//	LEAQ table(SB), CX
//	JMP  (CX)(AX*8)
//
// It reports whether it has found all.
func (b *body) findTables(jumps []int) bool {
	type table struct {
		at    uint64
		cases int // 0: the code doesn't say how many
		says  int // index of the instruction that says so, or from which on the address is known
	}
	tables := make([]table, len(jumps))
	for k, i := range jumps {
		at, ok := b.tableOf(i)
		if !ok {
			return false
		}
		tables[k].at = at
		tables[k].cases, tables[k].says = b.cases(i)
	}
	for k, jump := range jumps {
		t := &tables[k]
		most := mostCases
		for _, other := range tables { // another table of the function may follow
			if other.at > t.at {
				most = min(most, int((other.at-t.at)/8))
			}
		}
		list := b.f.Pointers(t.at, most)
		if len(list) == 0 || len(list) < t.cases || len(list) == mostCases {
			return false
		}
		if t.cases > 0 {
			list = list[:t.cases]
		}
		slices.Sort(list)
		b.tables[jump] = slices.Compact(list)
		for _, to := range b.tables[jump] {
			if _, ok := b.index(to); !ok {
				return false
			}
			b.noteJump(b.list[jump].At, to)
		}
	}
	for k, jump := range jumps {
		for i := tables[k].says + 1; i <= jump; i++ {
			if b.jumps[b.list[i].At] > 0 { // others come with another table, or another number
				return false
			}
		}
	}
	return true
}

// tableOf returns the address of the table that the jump of an index goes through.
func (b *body) tableOf(jump int) (at uint64, ok bool) {
	m, ok := b.list[jump].Args[0].(x86asm.Mem)
	if !ok || m.Scale != 8 || m.Disp != 0 || m.Segment != 0 {
		return 0, false
	}
	i := jump - 1
	for i > 0 && b.list[i].Op == x86asm.NOP {
		i--
	}
	if i < 0 || b.list[i].Op != x86asm.LEA || b.list[i].Args[0] != m.Base {
		return 0, false
	}
	x := &b.list[i]
	from, ok := x.Args[1].(x86asm.Mem)
	return x.At + uint64(x.Len) + uint64(int64(int32(from.Disp))), ok && from.Base == x86asm.RIP && from.Index == 0
}

// cases returns how many entries the table has that the jump of an index goes through, as the code
// before says: it compares the entry's number or masks it, at an index that is returned, too. Where
// the code doesn't say so there are 0 and the index of the LEA. Of jumps that lead in between,
// those by tables needn't be known yet.
func (b *body) cases(jump int) (n, says int) {
	m := b.list[jump].Args[0].(x86asm.Mem)
	for i := jump - 1; i > 0 && b.jumps[b.list[i+1].At] == 0; i-- {
		x := &b.list[i]
		if x.Op == x86asm.CALL || x.Op == x86asm.JMP {
			break
		}
		r, ok := x.Args[0].(x86asm.Reg)
		if !ok || wide(r) != m.Index {
			continue
		}
		n, ok := x.Args[1].(x86asm.Imm)
		if ok && n >= 0 && n < mostCases && (x.Op == x86asm.AND || x.Op == x86asm.CMP && b.list[i+1].Op == x86asm.JA) {
			return int(n) + 1, i
		}
		break
	}
	for says = jump; b.list[says].Op != x86asm.LEA; says-- {
	}
	return 0, says
}

// wide returns the register of 64 bits that a register is a part of.
func wide(r x86asm.Reg) x86asm.Reg {
	switch {
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return r - x86asm.EAX + x86asm.RAX
	case r >= x86asm.AX && r <= x86asm.R15W:
		return r - x86asm.AX + x86asm.RAX
	}
	return r
}

// targets returns where a jump of an index leads within the function.
func (b *body) targets(jump int) []uint64 {
	if to, ok := b.list[jump].target(); ok {
		return []uint64{to}
	}
	return b.tables[jump]
}
