// Package paths adds up the calls of recordings by the path of callers that led to them, as formats
// of samples want it.
//
//	tree, read, err := paths.Read(set, filter, paths.Options{})
//	tree.Each(func(stack []int, n *paths.Node) { ... tree.Functions[stack[0]] ... })
//
// Blocks of the files are read by as many workers as there are cores. Memory grows with the number
// of different paths.
package paths

import (
	"cmp"
	"errors"
	"maps"
	"runtime"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// Measures are the numbers of a Node, with their units. Times are in ns. Sums over the nodes of a function
// are what a report has, to the nanosecond.
var Measures = [...]struct {
	Name, Unit string
	Of         func(n *calls.Numbers) int64
}{
	{"calls", "count", func(n *calls.Numbers) int64 { return int64(n.Calls) }},
	{"total", "nanoseconds", func(n *calls.Numbers) int64 { return n.Total }},
	{"self", "nanoseconds", func(n *calls.Numbers) int64 { return n.Self }},
	{"running", "nanoseconds", func(n *calls.Numbers) int64 { return n.Offs().Self.Running(n.Self) }},
	{"runnable", "nanoseconds", func(n *calls.Numbers) int64 { return n.Offs().Self.Runnable }},
	{"waiting", "nanoseconds", func(n *calls.Numbers) int64 { return n.Offs().Self.Waited() }},
	{"objects", "count", func(n *calls.Numbers) int64 { return int64(n.Objects) }},
	{"bytes", "bytes", func(n *calls.Numbers) int64 { return int64(n.Bytes) }},
}

// Indices of Measures.
const (
	Calls    = iota
	Total    // of calls that no call of the same function is around; 0 in recursions
	Self     // without calls of other functions, as all that follow
	Running  // what is left of Self
	Runnable // their goroutines were ready, and had no processor
	Waiting
	Objects // that were made on the heap
	Bytes   // of them
)

// A Node is the calls of a function that were reached on one path.
type Node struct {
	*calls.Numbers
	Counted   bool   // calls that were counted and not recorded: nobody knows who made them
	Goroutine string // that made them, with Options.Goroutines
}

// Options say how recordings are read.
type Options struct {
	Goroutines bool // keep the calls of goroutines apart, which takes longer

	// Progress, unless nil, is told now and then how many of the events have been read.
	Progress func(read, all uint64)
}

// A Tree holds nodes.
type Tree struct {
	Functions []function.Func
	paths     calls.Tree // with Options.Goroutines their nodes are outermost
	waits     bool       // some calls have waited
	makes     bool       // some have made objects
	owners    []recording.GoroutineID
	index     map[recording.GoroutineID]uint32 // in owners
}

// owner returns the row of a goroutine.
func (t *Tree) owner(g recording.GoroutineID) uint32 {
	i, ok := t.index[g]
	if !ok {
		if t.index == nil {
			t.index = make(map[recording.GoroutineID]uint32)
		}
		i = uint32(len(t.owners))
		t.index[g], t.owners = i, append(t.owners, g)
	}
	return i | goroutine
}

// Left is the name of a function that stands for calls that the filter doesn't show. It has the own
// time of those calls, so that callers keep theirs.
const Left = "(not shown)"

// maxDepth is how many calls of a stack are kept. Below, a stack has only those functions that it
// does not have yet, and the innermost call. The reason: a recursion of a million levels has a
// million stacks, each of up to a million calls.
const maxDepth = 256

// Has reports whether the recordings have told a measure of some call.
func (t *Tree) Has(measure int) bool {
	switch measure {
	case Running, Runnable, Waiting:
		return t.waits
	case Objects, Bytes:
		return t.makes
	}
	return true
}

// Each calls do for each node whose measures aren't all 0. The stack has indices in Functions, the
// innermost call's first; it is valid until do returns.
func (t *Tree) Each(do func(stack []int, n *Node)) {
	var stack []int
	for i := 1; i < len(t.paths.Nodes); i++ {
		n := Node{Numbers: &t.paths.Nodes[i].Sum, Counted: t.paths.Nodes[i].Row&counted != 0}
		if n.Calls == 0 && n.Total == 0 && n.Self == 0 && n.Offs().Self == (calls.Off{}) && n.Objects == 0 && n.Bytes == 0 {
			continue
		}
		stack = stack[:0]
		for at := uint32(i); at != 0; at = t.paths.Nodes[at].Parent {
			if row := t.paths.Nodes[at].Row; row&goroutine != 0 {
				n.Goroutine = t.owners[row&^goroutine].String()
			} else {
				stack = append(stack, int(row&^counted))
			}
		}
		do(stack, &n)
	}
}

// Marks of rows in the tree: of functions whose calls were counted, and of goroutines.
const (
	counted   = 1 << 31
	goroutine = 1 << 30
)

// A reader makes a Tree.
type reader struct {
	tree   *Tree
	filter *recording.Filter
	index  map[function.Identity]int // in Functions
	shown  []bool                    // by index
	roots  []bool
	called []bool // functions that Callers wants
}

// Read adds up the calls of all processes of a set. On an error the tree has what could be read. The
// summaries count the calls that the filter shows.
func Read(set *tracefile.Set, filter *recording.Filter, o Options) (t *Tree, read []recording.Summary, err error) {
	if err := filter.Check(set); err != nil {
		return nil, nil, err
	}
	r := &reader{tree: new(Tree), filter: filter, index: make(map[function.Identity]int)}
	var all, done uint64
	for _, file := range set.Processes {
		all += file.Info().Events
	}
	tell := func(events int) {
		if done += uint64(events); o.Progress != nil {
			o.Progress(min(done, all), all)
		}
	}
	if o.Goroutines {
		read, err = r.follow(set, tell)
		r.tree.arrange()
		return r.tree, read, err
	}
	var errs []error
	for _, p := range recording.Processes(set) {
		o := filter.Options(p)
		o.Tree = true
		o.Key = r.keyOf(p)
		key, counted := o.Key, filter.Counting(p)
		result, estimates, err := filter.Estimating(p, o, &counted, runtime.GOMAXPROCS(0), tell)
		errs = append(errs, err)
		summary := filter.Summary(p, result)
		var unknown map[uint32]*calltree.Bounds
		if estimates != nil {
			result.Tree = estimates.Tree(key)
			result.Rows, unknown = estimates.Rows(key)
		}
		summary.Calls = r.add(result.Tree, p.Scale, nil)
		for _, site := range slices.Sorted(maps.Keys(summary.Counted.Calls)) {
			key, calls := key(site), summary.Counted.Calls[site]
			if b := unknown[key]; b == nil || b.Samples == 0 { // else they are in the tree
				summary.Calls += r.count(key, calls-min(calls, longOf(result.Rows, key)))
			}
		}
		read = append(read, summary)
	}
	r.tree.arrange()
	return r.tree, read, errors.Join(errs...)
}

// arrange puts the functions in the order of their names: workers meet them in any order, and an export
// is the same bytes each time.
func (t *Tree) arrange() {
	order := make([]int, len(t.Functions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &t.Functions[i], &t.Functions[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	functions, at := make([]function.Func, len(order)), make([]uint32, len(order))
	for to, from := range order {
		functions[to], at[from] = t.Functions[from], uint32(to)
	}
	t.Functions = functions
	for i := 1; i < len(t.paths.Nodes); i++ {
		if n := &t.paths.Nodes[i]; n.Row&goroutine == 0 {
			n.Row = n.Row&counted | at[n.Row&^counted]
		}
	}
}

// keyOf returns the function that gives sites of p the indices of their functions.
func (r *reader) keyOf(p *recording.Process) func(site uint32) uint32 {
	return func(site uint32) uint32 {
		fn, _ := p.File.Func(site)
		return uint32(r.function(fn.Func))
	}
}

// function returns the index of a function, which may have several sites.
func (r *reader) function(f function.Func) int {
	i, ok := r.index[f.Identity()]
	if !ok {
		i = len(r.tree.Functions)
		r.index[f.Identity()] = i
		r.tree.Functions = append(r.tree.Functions, f)
		is := func(wanted func(*function.Func) bool, otherwise bool) bool {
			if wanted == nil {
				return otherwise
			}
			return wanted(&f)
		}
		r.shown = append(r.shown, is(r.filter.Show, true))
		r.roots = append(r.roots, is(r.filter.Root, true))
		r.called = append(r.called, is(r.filter.Callers, true))
	}
	return i
}

// longOf returns how many calls of a function are those of Long events, which are in the tree.
func longOf(rows []calltree.Row, key uint32) uint64 {
	for i := range rows {
		if rows[i].Key == key {
			return rows[i].Long
		}
	}
	return 0
}

// count adds counted calls of a function, and returns how many it has added.
func (r *reader) count(key uint32, n uint64) uint64 {
	if n == 0 || !r.shown[key] {
		return 0
	}
	r.tree.paths.Add(0, key|counted, &calls.Numbers{Calls: n})
	return n
}
