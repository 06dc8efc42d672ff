package callgraph

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Text writes a tree for people: each function below its caller, with its share of the time.
//
//	100% (55% cpu) main.serve
//	  65% (35% cpu) store.Find
//	  35% (20% cpu) json.Marshal
//
// The first percentage is the share of the root's time, and the second is the part of it on a CPU.
// Further parts are there if they are not 0 %: "ready" is waiting for a CPU, "syscall" is in a
// system call or in C. An exact tree has the number of calls instead. The lines of [Tree.Notes] are
// at the end.
type Text struct {
	Tree *Tree

	// MinShare leaves out nodes with a smaller share of the root's time; 0.01 is 1 %. Text says
	// how many nodes are left out.
	MinShare float64

	// Depth leaves out nodes that are further from the root; 0 means no limit.
	Depth int

	// OfParent writes shares of the parent's time instead of the root's.
	OfParent bool

	// FullNames writes whole names. Without FullNames, names are as short as they stay unique in
	// the tree.
	FullNames bool
}

// WriteTo implements io.WriterTo. The error is that of w.
func (t Text) WriteTo(w io.Writer) (int64, error) {
	var short *names.Set
	if !t.FullNames {
		short = names.NewSet()
		t.Tree.Walk(func(path []*Node) {
			if name := path[len(path)-1].Func.Name; name != "" {
				short.Add(name)
			}
		})
	}
	var b bytes.Buffer
	out := 0
	var write func(n, parent *Node, depth int)
	write = func(n, parent *Node, depth int) {
		if n.Func.Name != "" {
			if n.Share(t.Tree.Root) < t.MinShare || t.Depth > 0 && depth >= t.Depth {
				out += count(n)
				return
			}
			whole := t.Tree.Root
			if t.OfParent {
				whole = parent
			}
			fmt.Fprintf(&b, "%s%s %s%s\n", strings.Repeat("  ", depth), percent(n.Share(whole)), t.details(n, whole), short.Short(n.Func.Name))
			depth++
		}
		for _, c := range n.Children {
			write(c, n, depth)
		}
	}
	if t.Tree.Root != nil {
		write(t.Tree.Root, t.Tree.Root, 0)
	}
	notes := t.Tree.Notes()
	if out > 0 {
		notes = append(notes, units.Things(uint64(out), "node")+" left out")
	}
	if len(notes) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(notes, "\n"))
	}
	return b.WriteTo(w)
}

// details returns what stands between the share and the name.
func (t Text) details(n, whole *Node) string {
	if t.Tree.Sampling == nil {
		return "(" + units.Things(uint64(n.Calls), "call") + ") "
	}
	list := percent(n.CPUShare(whole)) + " cpu"
	if p := percent(ratio(n.Ready, whole.Total)); p != "0%" {
		list += ", " + p + " ready"
	}
	if p := percent(ratio(n.Syscall, whole.Total)); p != "0%" {
		list += ", " + p + " syscall"
	}
	return "(" + list + ") "
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", math.Round(share*100)) }

func count(n *Node) int {
	sum := 1
	for _, c := range n.Children {
		sum += count(c)
	}
	return sum
}

// WriteTo implements io.WriterTo: it writes the Text of t, with all nodes and short names.
func (t *Tree) WriteTo(w io.Writer) (int64, error) { return Text{Tree: t}.WriteTo(w) }

// String returns what WriteTo writes.
func (t *Tree) String() string {
	var b strings.Builder
	t.WriteTo(&b)
	return b.String()
}
