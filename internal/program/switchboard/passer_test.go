package switchboard_test

import (
	"testing"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
)

// A passing is an observer that has no use for calls while it passes.
type passing struct {
	log
	passes bool
	passed int
}

func (p *passing) Passes() bool {
	if p.passes {
		p.passed++
	}
	return p.passes
}

// An observer that passes is not told of calls that begin, but of ends of those that it was told of. It
// is asked of calls that its condition accepts, and not at all if others observe the function, too.
// Goroutines that were told of nothing yet are no exception.
func TestPasser(t *testing.T) {
	for _, c := range []struct {
		name   string
		wish   func(switchboard.Observer) switchboard.Wish
		passed int
	}{
		{"all calls", func(o switchboard.Observer) switchboard.Wish { return observed(o, switchboard.Selection{}) }, 2},
		{"a condition", func(o switchboard.Observer) switchboard.Wish {
			return only(o, condition.Program{Enter: compare(n, condition.Less, 3)})
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := switchtest.Fresh(t)
			f(r)
			o := new(passing)
			owner := switchboard.Default.Join("test", switchboard.Program)
			must(t, owner.Set(c.wish(o)))
			outer := r.Enter("m.F", 1, "s")
			o.passes = true
			r.First = true
			r.Enter("m.F", 2, "s").Exit(4, nil)
			r.First = false
			r.Enter("m.F", 3, "s").Exit(6, nil)
			outer.Exit(2, nil)
			equal(t, "told", o.take(), []string{"enter m.F[1 s]", "exit m.F[2 <nil>] true"})
			equal(t, "passed", o.passed, c.passed)

			other := new(log)
			must(t, switchboard.Default.Join("other", switchboard.Program).Set(observed(other, switchboard.Selection{})))
			r.Enter("m.F", 1, "s").Exit(2, nil)
			want := []string{"enter m.F[1 s]", "exit m.F[2 <nil>] true"}
			equal(t, "told beside another", o.take(), want)
			equal(t, "the other is told", other.take(), want)
			equal(t, "passed beside another", o.passed, c.passed)
		})
	}
}
