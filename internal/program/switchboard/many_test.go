package switchboard_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
)

// Many owners with few observers come and go. Each observer is told once of a call, in the order in
// which the owners came that are there still.
func TestMany(t *testing.T) {
	r := switchtest.Fresh(t)
	bind(store(r))
	random := seed.Rand(t, 1)
	functions := []string{"m/store.Read", "m/store.Write", "m/store.other"}
	selections := []switchboard.Selection{{}, groups("In"), groups("All"), named(functions[1]), named(functions[2])}
	selected := [][]string{functions, functions[:1], functions[:2], functions[1:2], functions[2:]}

	var told []string
	var observers []switchboard.Observer
	for i := 0; i < 10; i++ {
		i := i
		observers = append(observers, &teller{func(e *switchboard.Event) {
			if e.Kind == switchboard.Enter {
				told = append(told, fmt.Sprint(i))
			}
		}})
	}
	type owner struct {
		*switchboard.Owner
		observer int
		of       []string
	}
	var owners []owner
	for step := 0; step < 200; step++ {
		if n := len(owners); n > 0 && random.Intn(3) == 0 {
			at := random.Intn(n)
			owners[at].Close()
			owners = slices.Delete(owners, at, at+1)
		} else {
			o, s := random.Intn(len(observers)), random.Intn(len(selections))
			owners = append(owners, owner{switchboard.Default.Join("log", switchboard.Program), o, selected[s]})
			must(t, owners[n].Set(observed(observers[o], selections[s])))
		}
		for _, f := range functions {
			var want []string
			for _, o := range owners {
				if name := fmt.Sprint(o.observer); slices.Contains(o.of, f) && !slices.Contains(want, name) {
					want = append(want, name)
				}
			}
			told = nil
			if r.Enter(f).Exit(); !slices.Equal(told, want) {
				t.Fatalf("step %d: %s is told to %q, want %q", step, f, told, want)
			}
		}
	}
}

// A teller is an observer that can be compared.
type teller struct{ f func(*switchboard.Event) }

func (o *teller) Observe(e *switchboard.Event) { o.f(e) }
