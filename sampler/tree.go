package sampler

import (
	"reflect"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/units"
)

// tree returns what was counted.
func (s *Sampler) tree(now time.Time) (*callgraph.Tree, error) {
	c := &s.counts
	if c.sampling.Samples == 0 {
		return nil, fail(ErrNotSeen, "no sample was taken in %s: at a rate of %g the first one comes after %s",
			units.Duration(now.Sub(s.start)), s.options.Rate, units.Duration(time.Duration(float64(time.Second)/s.options.Rate)))
	}
	root := c.top
	if s.options.Root != "" {
		switch len(c.roots) {
		case 0:
			return nil, s.notSeen(now.Sub(s.start))
		case 1:
			for _, n := range c.top.children {
				root = n
			}
		default:
			return nil, fail(ErrAmbiguous, "%s means several functions: write the whole path of one of %s",
				s.options.Root, strings.Join(sorted(c.roots), ", "))
		}
	}
	c.before.spread(float64(now.Sub(s.last))) // from the last sample on
	top, _ := export(root)
	t := &callgraph.Tree{Root: top, From: s.start, To: now, Sampling: &c.sampling, DroppedNodes: c.dropped}
	t.Sort()
	return t, nil
}

// export returns a node with the sums of those below it, and these sums.
func export(n *node) (*callgraph.Node, sums) {
	out, sum := new(callgraph.Node), n.self
	if n.function != nil {
		out.Func = *n.function
	}
	for _, child := range n.children {
		c, s := export(child)
		out.Children = append(out.Children, c)
		sum.samples += s.samples
		sum.total += s.total
		sum.cpu += s.cpu
		sum.ready += s.ready
		sum.syscall += s.syscall
	}
	out.Samples = sum.samples
	out.Total = time.Duration(sum.total)
	out.CPU = time.Duration(sum.cpu)
	out.Ready = time.Duration(sum.ready)
	out.Syscall = time.Duration(sum.syscall)
	return out, sum
}

// notSeen returns the error for a root that was on no stack.
func (s *Sampler) notSeen(took time.Duration) error {
	c := &s.counts
	seen := units.Things(uint64(c.sampling.Samples), "sample") + " in " + units.Duration(took)
	all := programFunctions()
	for name := range c.seen {
		all[name] = true
	}
	for name := range all {
		if c.root.matches(name) {
			return fail(ErrNotSeen, "%s was not seen, %s: it did not run, or its calls are too short for the rate", name, seen)
		}
	}
	return fail(ErrNotSeen, "%s was not seen, %s, and the program seems to have no such function%s",
		s.options.Root, seen, pattern.IsIt(s.options.Root, sorted(all), 1))
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for name := range set {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// programFunctions returns the names of the program's functions, as far as half a second suffices.
// Functions that are inlined everywhere may be missing.
func programFunctions() map[string]bool {
	all := make(map[string]bool)
	const align = 16 // of functions in most programs
	from := reflect.ValueOf(programFunctions).Pointer() &^ (align - 1)
	for _, step := range []int{align, -align} {
		misses, end := 0, time.Now().Add(250*time.Millisecond)
		for pc, i := from, 0; misses < 1000; pc, i = uintptr(int(pc)+step), i+1 {
			f := runtime.FuncForPC(pc)
			if f == nil {
				misses++
				continue
			}
			misses = 0
			all[f.Name()] = true
			if i%1000 == 0 && time.Now().After(end) {
				break
			}
		}
	}
	return all
}
