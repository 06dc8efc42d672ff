package sampler

import (
	"math/rand"
	"runtime"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A counter makes a tree of stacks.
type counter struct {
	options  Options
	root     *rootMatcher
	own      string // see ownFunction
	sampling callgraph.Sampling

	top     *node
	nodes   int
	dropped int64

	states  map[uintptr]state // of goroutines with this program counter on top
	kinds   map[[shallow]uintptr]*kind
	deeps   map[string]*kind // by line of deepStacks
	useDeep bool             // the cheap way has left out calls that matter

	found     chosen // of the sample
	before    chosen // of the sample before
	functions map[string]*callgraph.Func
	seen      map[string]bool // names of functions in stacks, for the error if the root isn't among them
	roots     map[string]bool // names of functions that were the root
	random    *rand.Rand
}

// A node is a path of calls.
type node struct {
	function *callgraph.Func
	children map[string]*node
	self     sums // of stacks that end here
}

type sums struct {
	samples                    int64
	total, cpu, ready, syscall float64 // ns
}

// A kind is all that there is to know of goroutines with the same stack.
type kind struct {
	state state
	stack []uintptr // nil if the fields below are known
	node  *node     // nil if the stack is not in the tree
	cut   bool      // the runtime has left out the outermost calls
}

// A chosen is what a sample counts.
type chosen struct {
	kinds  []*kind // the candidates, then those of them that are chosen; one for each goroutine
	factor float64 // how many goroutines a chosen one stands for
	cpu    float64 // the part of an active goroutine's time that it has a CPU
}

// maxKinds is the number of kinds that are kept: more are forgotten and made anew.
const maxKinds = 20_000

func (c *counter) init(o Options, root *rootMatcher) {
	c.options, c.root, c.own = o, root, ownFunction()
	c.sampling = callgraph.Sampling{Rate: o.Rate, Limit: o.MaxCPU, Max: o.MaxGoroutines}
	c.top = new(node)
	c.functions = make(map[string]*callgraph.Func)
	c.seen = make(map[string]bool)
	c.roots = make(map[string]bool)
	c.random = rand.New(rand.NewSource(time.Now().UnixNano()))
	c.forget()
}

func (c *counter) forget() {
	c.states = make(map[uintptr]state)
	c.kinds = make(map[[shallow]uintptr]*kind)
	c.deeps = make(map[string]*kind)
}

// add takes a sample. Half of the time since the sample before belongs to that one's stacks, the
// other half to those seen now.
func (c *counter) add(s *source, since time.Duration, procs int) {
	if len(c.kinds)+len(c.deeps) > maxKinds {
		c.forget()
	}
	var goroutines, active int64
	if !c.useDeep {
		goroutines, active = c.addCheap(s)
	}
	if c.useDeep {
		goroutines, active = c.addDeep(s)
	}
	c.sampling.Samples++
	c.sampling.Goroutines = max(c.sampling.Goroutines, goroutines)
	active-- // the sampler
	c.found.cpu = 1
	if active > int64(procs) {
		c.found.cpu = float64(procs) / float64(active)
	}
	c.sampling.Counted += int64(len(c.found.kinds))
	for _, k := range c.found.kinds {
		if k.cut {
			c.sampling.Cut++
		}
		if k.node != nil {
			k.node.self.samples++
		}
	}
	if c.sampling.Samples == 1 {
		c.found.spread(float64(since))
	} else {
		c.before.spread(float64(since) / 2)
		c.found.spread(float64(since) / 2)
	}
	c.found, c.before = c.before, c.found
}

// spread adds a time to what was chosen.
func (f *chosen) spread(ns float64) {
	ns *= f.factor
	for _, k := range f.kinds {
		if k.node == nil {
			continue
		}
		s := &k.node.self
		s.total += ns
		switch k.state {
		case activeState:
			s.cpu += ns * f.cpu
			s.ready += ns * (1 - f.cpu)
		case syscallState:
			s.syscall += ns
		}
	}
}

// addCheap makes found the kinds that the sample counts. It sets useDeep if calls of one are left
// out.
func (c *counter) addCheap(s *source) (goroutines, active int64) {
	records := s.cheap()
	c.found.kinds = c.found.kinds[:0]
	for i := range records {
		stack := &records[i].Stack0
		k := c.kinds[*stack]
		if k == nil {
			k = &kind{state: c.state(stack[0]), stack: append([]uintptr(nil), records[i].Stack()...)}
			c.kinds[*stack] = k
		}
		active += c.candidate(k, 1)
	}
	seen := c.choose()
	for _, k := range c.found.kinds {
		if c.resolve(k); k.cut {
			c.useDeep = true
			return 0, 0 // addDeep does it again
		}
	}
	c.sampling.Seen += seen
	return int64(len(records)), active
}

// addDeep does what addCheap does, with all calls that the runtime knows.
func (c *counter) addDeep(s *source) (goroutines, active int64) {
	c.found.kinds = c.found.kinds[:0]
	s.deep.each(func(line []byte, n int) {
		k := c.deeps[string(line)]
		if k == nil {
			k = &kind{stack: pcs(line)}
			if len(k.stack) == 0 {
				return
			}
			k.state = c.state(k.stack[0])
			c.deeps[string(line)] = k
		}
		goroutines += int64(n)
		active += c.candidate(k, n)
	})
	c.sampling.Seen += c.choose()
	for _, k := range c.found.kinds {
		c.resolve(k)
	}
	return goroutines, active
}

// candidate puts n goroutines of a kind into found, if they may be in the tree. It returns how many
// of them want a CPU.
func (c *counter) candidate(k *kind, n int) (active int64) {
	if k.stack != nil || k.node != nil {
		for i := 0; i < n; i++ {
			c.found.kinds = append(c.found.kinds, k)
		}
	} else if k.cut {
		c.sampling.Cut += int64(n)
	}
	if k.state == activeState {
		return int64(n)
	}
	return 0
}

// choose leaves a random part in found if there are too many, and returns how many there were.
func (c *counter) choose() int64 {
	list := c.found.kinds
	n := len(list)
	most := min(n, c.options.MaxGoroutines)
	c.found.factor = 1
	if most < n {
		for i := 0; i < most; i++ {
			j := i + c.random.Intn(n-i)
			list[i], list[j] = list[j], list[i]
		}
		c.found.factor = float64(n) / float64(most)
	}
	c.found.kinds = list[:most]
	return int64(n)
}

// resolve finds the node of a kind.
func (c *counter) resolve(k *kind) {
	if k.stack == nil {
		return
	}
	var list []*callgraph.Func // innermost first
	own := false
	root := -1
	last := ""
	frames := runtime.CallersFrames(k.stack)
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function == "" {
			continue
		}
		last = f.Function
		own = own || f.Function == c.own
		isRoot := c.root.matches(f.Function)
		if isRoot || !names.IsMachinery(f.Function) {
			list = append(list, c.function(&f))
		}
		if isRoot {
			root = len(list)
		}
	}
	k.stack, k.cut = nil, last != "runtime.goexit"
	if own {
		k.cut = false
		return
	}
	for _, f := range list {
		c.seen[f.Name] = true
	}
	at := c.top
	switch {
	case c.options.Root == "" && k.cut:
		list = append(list, leftOut)
	case c.options.Root == "":
	case root < 0:
		return
	default:
		list = list[:root]
		c.roots[list[root-1].Name] = true
	}
	for i := len(list) - 1; i >= 0; i-- {
		child := c.child(at, list[i])
		if child == nil {
			c.dropped++
			break
		}
		at = child
	}
	if at != c.top {
		k.node = at
	}
}

// leftOut stands for the calls that the runtime has left out of a stack.
var leftOut = &callgraph.Func{Name: "(outer calls left out)"}

// child returns the node of a function below n, or nil if there may be no more nodes.
func (c *counter) child(n *node, f *callgraph.Func) *node {
	child := n.children[f.Name]
	if child == nil {
		if c.nodes == c.options.MaxNodes {
			return nil
		}
		c.nodes++
		child = &node{function: f}
		if n.children == nil {
			n.children = make(map[string]*node)
		}
		n.children[f.Name] = child
	}
	return child
}
