package calltree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
)

func tree(t *testing.T, text string, o Options) string {
	t.Helper()
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	o.Tree = true
	var b strings.Builder
	printTree(&b, read(t, events, o).Tree, NoCaller)
	return b.String()
}

// printTree writes nodes as A2/30/10(...), with calls, total and self.
func printTree(b *strings.Builder, nodes []Node, caller int) {
	first := true
	for i, n := range nodes {
		if n.Caller != caller {
			continue
		}
		if !first {
			b.WriteByte(' ')
		}
		first = false
		fmt.Fprintf(b, "%c%d/%d/%d", 'A'+n.Key-1, n.Calls, n.Total, n.Self)
		if n.Panics > 0 {
			fmt.Fprintf(b, "!%d", n.Panics)
		}
		if slices.ContainsFunc(nodes, func(c Node) bool { return c.Caller == i }) {
			b.WriteByte('(')
			printTree(b, nodes, i)
			b.WriteByte(')')
		}
	}
}

// Each event takes a tick, besides those that +N adds.
func TestTree(t *testing.T) {
	const calls = "A10 +1 B20 +2 C30 +3 c30 b20 B20 +4 b20 C20 +5 c20 a10 @2 <1 A10 +10 B20 +20 b20 a10 ."
	for _, tt := range []struct {
		name, events, want string
		opt                Options
	}{
		{name: "paths", events: calls, want: "A2/57/17(B3/34/30(C1/4/4) C1/6/6)"},
		{name: "recursion", events: "A10 +1 A20 +2 A30 +3 a30 a20 a10", want: "A1/11/3(A1/8/4(A1/4/4))"},
		{name: "left out", events: calls, want: "A2/57/47(C2/10/10)", opt: Options{Keep: func(s uint32) bool { return s != 2 }}},
		{name: "min", events: calls, want: "A2/57/22(B2/29/29 C1/6/6)", opt: Options{Min: 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tree(t, tt.events, tt.opt); got != tt.want {
				t.Errorf("%s\ngives %s\nwant  %s", tt.events, got, tt.want)
			}
		})
	}
}

// The nodes of a tree add up to the rows, and each one to its children.
func TestTreeSums(t *testing.T) {
	for _, seed := range seed.List(30) {
		p := &program{rand: rand.New(rand.NewPCG(seed, 1))}
		events, _ := p.run(1 + int(seed%8))
		r := read(t, events, Options{Tree: true, Goroutines: true})
		calls, self := make(map[uint32]uint64), make(map[uint32]uint64)
		below := make(map[int]uint64) // totals of what nodes call
		for i, n := range r.Tree {
			calls[n.Key] += n.Calls
			self[n.Key] += n.Self
			if below[n.Caller] += n.Total; n.Caller >= i {
				t.Errorf("seed %d: node %d has the caller %d", seed, i, n.Caller)
			}
		}
		for i, n := range r.Tree {
			if n.Total != n.Self+below[i] {
				t.Errorf("seed %d: total %d, self %d, children %d", seed, n.Total, n.Self, below[i])
			}
		}
		roots := below[NoCaller]
		for _, row := range r.Rows {
			if calls[row.Key] != row.Calls || self[row.Key] != row.Self {
				t.Errorf("seed %d: row %+v; nodes have %d calls, self %d", seed, row, calls[row.Key], self[row.Key])
			}
		}
		var want uint64
		for _, g := range r.Goroutines {
			want += g.Total
		}
		if roots != want {
			t.Errorf("seed %d: roots take %d, goroutines %d", seed, roots, want)
		}
	}
}
