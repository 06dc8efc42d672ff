package sampler

import (
	"math/rand"
	"runtime"
	"time"

	"github.com/waymark-go/waymark/callgraph"
)

// A counter makes a tree of stacks.
type counter struct {
	options  Options
	root     rootName
	own      string // see ownFunction
	sampling callgraph.Sampling

	top     *node
	nodes   int
	dropped int64

	states  map[uintptr]state // of goroutines with this program counter on top
	kinds   map[[shallow]uintptr]*kind
	deeps   map[string]*kind // by line of deepStacks
	useDeep bool             // the cheap way has left out calls that matter

	found  []*kind // the candidates of the sample, then the chosen ones, one for each goroutine
	factor float64 // how many goroutines a chosen one stands for

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

// maxKinds is the number of kinds that are kept: more are forgotten and made anew.
const maxKinds = 20_000

func (c *counter) init(o Options) {
	c.options, c.root, c.own = o, parseRoot(o.Root), ownFunction()
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

// add takes a sample: each stack stands for the time since the sample before.
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
	cpu := 1.0
	if active > int64(procs) {
		cpu = float64(procs) / float64(active)
	}
	c.spread(float64(since), cpu)
}

// addCheap makes found the kinds that the sample counts. It sets useDeep if calls of one are left
// out.
func (c *counter) addCheap(s *source) (goroutines, active int64) {
	records := s.cheap()
	c.found = c.found[:0]
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
	for _, k := range c.found {
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
	c.found = c.found[:0]
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
	for _, k := range c.found {
		c.resolve(k)
	}
	return goroutines, active
}

// candidate puts n goroutines of a kind into found, if they may be in the tree. It returns how many
// of them want a CPU.
func (c *counter) candidate(k *kind, n int) (active int64) {
	if k.stack != nil || k.node != nil {
		for i := 0; i < n; i++ {
			c.found = append(c.found, k)
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
	n := len(c.found)
	most := min(n, c.options.MaxGoroutines)
	if most < n {
		for i := 0; i < most; i++ {
			j := i + c.random.Intn(n-i)
			c.found[i], c.found[j] = c.found[j], c.found[i]
		}
	}
	c.found = c.found[:most]
	c.factor = 1
	if most > 0 {
		c.factor = float64(n) / float64(most)
	}
	return int64(n)
}

// spread counts the chosen goroutines: each stands for the time since the sample before. cpu is the
// part of an active goroutine's time that it had a CPU.
func (c *counter) spread(ns, cpu float64) {
	ns *= c.factor
	c.sampling.Counted += int64(len(c.found))
	for _, k := range c.found {
		if k.cut {
			c.sampling.Cut++
		}
		if k.node == nil {
			continue
		}
		s := &k.node.self
		s.samples++
		s.total += ns
		switch k.state {
		case activeState:
			s.cpu += ns * cpu
			s.ready += ns * (1 - cpu)
		case syscallState:
			s.syscall += ns
		}
	}
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
		if isRoot || !hidden(f.Function) {
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
