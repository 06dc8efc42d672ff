package callgraph

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/function"
)

// A Func describes a function. Name is that of stack traces. Line is 0 in a sampled tree if the
// compiler inlined the function.
type Func = function.Func

// A Tree is a tree of calls.
type Tree struct {
	// Root is the node at the top. If the tree begins at goroutines and not at one function, the Name
	// of Root's Func is empty. Root's children are then the functions that goroutines began with.
	Root *Node

	From, To time.Time // when calls were gathered

	// Sampling says how the tree was sampled. It is nil for an exact tree.
	Sampling *Sampling

	// DroppedNodes is the number of times that a path had no node because the tree had as many
	// nodes as it may have. In a sampled tree the time is in the deepest node of the path that there
	// is. In an exact tree it is in a node below that, with the name (other).
	DroppedNodes int64

	// Untimed is the number of calls that were only counted and are not in the tree, see
	// OfStatistics.
	Untimed int64
}

// A Node is a path of calls. Its times and counts hold those of its children, Self and SelfSamples
// excepted.
type Node struct {
	Func Func

	Calls   int64 // exact calls; 0 in a sampled tree
	Samples int64 // stacks that were seen on this path; 0 in an exact tree

	Total time.Duration // estimated in a sampled tree

	// The parts of Total that a sampled tree tells apart. The rest is Waiting.
	CPU     time.Duration // running on a CPU
	Ready   time.Duration // waiting for a CPU
	Syscall time.Duration // in a system call or in C

	Children []*Node // see Sort
}

// Waiting returns the time that goroutines waited for something other than a CPU: a channel, a
// lock, the network, a timer. In an exact tree it is 0.
func (n *Node) Waiting() time.Duration {
	if n.Samples == 0 {
		return 0
	}
	return max(n.Total-n.CPU-n.Ready-n.Syscall, 0)
}

// Self returns the part of Total that was not spent in children.
func (n *Node) Self() time.Duration {
	self := n.Total
	for _, c := range n.Children {
		self -= c.Total
	}
	return max(self, 0)
}

// SelfCPU returns the part of CPU that was not spent in children.
func (n *Node) SelfCPU() time.Duration {
	self := n.CPU
	for _, c := range n.Children {
		self -= c.CPU
	}
	return max(self, 0)
}

// SelfSamples returns the number of stacks that ended in this node.
func (n *Node) SelfSamples() int64 {
	self := n.Samples
	for _, c := range n.Children {
		self -= c.Samples
	}
	return max(self, 0)
}

// Share returns the part of whole's Total that n has: Share(parent) is the share of the parent,
// Share(tree.Root) that of the tree. It is 0 if whole has no time.
func (n *Node) Share(whole *Node) float64 { return ratio(n.Total, whole.Total) }

// CPUShare returns the part of whole's Total that n spent on a CPU.
func (n *Node) CPUShare(whole *Node) float64 { return ratio(n.CPU, whole.Total) }

func ratio(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Child returns the child whose function has the name, or nil.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Children {
		if c.Func.Name == name {
			return c
		}
	}
	return nil
}

// Sort sorts the children of each node: those with the most time come first.
func (t *Tree) Sort() {
	t.Walk(func(path []*Node) {
		slices.SortStableFunc(path[len(path)-1].Children, func(a, b *Node) int {
			if c := cmp.Compare(b.Total, a.Total); c != 0 {
				return c
			}
			if c := cmp.Compare(b.Calls, a.Calls); c != 0 {
				return c
			}
			return cmp.Compare(a.Func.Name, b.Func.Name)
		})
	})
}

// Walk calls visit for each node with the path to it from the root. Parents come before their
// children. The slice is used again for the next node.
func (t *Tree) Walk(visit func(path []*Node)) {
	if t.Root != nil {
		walk(nil, t.Root, visit)
	}
}

func walk(path []*Node, n *Node, visit func([]*Node)) {
	path = append(path, n)
	visit(path)
	for _, c := range n.Children {
		walk(path, c, visit)
	}
}

// functions returns the functions on a path, outermost first, without the root that is none.
func functions(path []*Node) []*Node {
	if path[0].Func.Name == "" {
		return path[1:]
	}
	return path
}
