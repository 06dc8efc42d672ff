package monitor

import (
	"math"
	"testing"
)

type listFactory struct {
	Factory
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
	f := FactoryFunc(func(pkg string) Monitor { made++; return NoOp().Create(pkg) })
	first, second := slotOf("once", f), slotOf("once", f)
	if made != 1 || first != second {
		t.Errorf("made %d monitors, in one slot: %v; want 1 and true", made, first == second)
	}
}

func TestSame(t *testing.T) {
	closure := func(n int) FactoryFunc { return func(string) Monitor { n++; return nil } }
	one := closure(1)
	call := func() {}
	list := listFactory{NoOp(), []string{"a"}, math.NaN(), map[string]int{}, []int{1}, [1]func(){call}}
	other := func(change func(*listFactory)) listFactory { l := list; change(&l); return l }
	for name, c := range map[string]struct {
		a, b Factory
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
		"embedded interfaces": {list, other(func(l *listFactory) { l.Factory = nil }), false},
		"functions in arrays": {list, other(func(l *listFactory) { l.wrap[0] = nil }), false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
