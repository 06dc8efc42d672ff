package waymark

import (
	"math"
	"testing"
)

type factoryFunc func(string) Monitor

func (f factoryFunc) Create(pkg string) Monitor { return f(pkg) }

type listFactory struct {
	MonitorFactory
	names []string
	every float64
	extra map[string]int
	any   any
	wrap  [1]func()
}

// A factory that can't be compared makes one monitor for a package, too, however often and against
// whatever it is registered.
func TestFactoriesMakeOnce(t *testing.T) {
	made := 0
	f := factoryFunc(func(pkg string) Monitor { made++; return NoOp().Create(pkg) })
	b := &Group{name: "b"}
	a := &Group{name: "a", subgroups: []*Group{b}}
	p := &tracedPackage{path: "p"}
	r := &registryState{list: []*registration{{group: a, factory: f}, {group: b, factory: f}}}
	first, second := r.wanted(p, b), r.wanted(p, b)
	if made != 1 || len(first) != 1 || len(second) != 1 || first[0] != second[0] {
		t.Errorf("made %d monitors, reported to %d, then to %d; want one", made, len(first), len(second))
	}
}

func TestSame(t *testing.T) {
	closure := func(n int) factoryFunc { return func(string) Monitor { n++; return nil } }
	one := closure(1)
	call := func() {}
	list := listFactory{NoOp(), []string{"a"}, math.NaN(), map[string]int{}, []int{1}, [1]func(){call}}
	other := func(change func(*listFactory)) listFactory { l := list; change(&l); return l }
	for name, c := range map[string]struct {
		a, b MonitorFactory
		want bool
	}{
		"one function":        {one, one, true},
		"closures":            {one, closure(1), false},
		"types":               {one, NoOp(), false},
		"comparable":          {NoOp(), NoOp(), true},
		"pointers":            {NewOperationTracer(), NewOperationTracer(), false},
		"one struct":          {list, list, true},
		"a pointer to it":     {&list, &list, true},
		"lists":               {list, other(func(l *listFactory) { l.names = []string{"a"} }), false},
		"lengths":             {list, other(func(l *listFactory) { l.names = l.names[:0] }), false},
		"numbers":             {list, other(func(l *listFactory) { l.every = 1 }), false},
		"maps":                {list, other(func(l *listFactory) { l.extra = map[string]int{} }), false},
		"interfaces":          {list, other(func(l *listFactory) { l.any = 1 }), false},
		"embedded interfaces": {list, other(func(l *listFactory) { l.MonitorFactory = nil }), false},
		"functions in arrays": {list, other(func(l *listFactory) { l.wrap[0] = nil }), false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
