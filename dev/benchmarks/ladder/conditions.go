package main

import (
	"os"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// rungConditions is measured by conditions.
const rungConditions = "condition"

// conditions measures what calls cost that an observer's condition rejects.
func conditions(t measure.Turns) error {
	equal := condition.Instruction{Op: condition.Compare, Rel: condition.Equal}
	greater := condition.Instruction{Op: condition.Compare, Rel: condition.Greater}
	number := func(n uint64) condition.Instruction { return condition.Instruction{Op: condition.Int, Bits: n} }
	arg := func(i int, steps ...condition.Step) condition.Instruction {
		return condition.Instruction{Op: condition.Value, Index: i, Steps: steps}
	}
	and := condition.Instruction{Op: condition.And, Skip: 3}
	names := []string{"banana", "orange"}
	orders := []plain.Order{{ID: 1}, {ID: 2}}
	tracedOrders := []traced.Order{{ID: 1}, {ID: 2}}
	for _, c := range []struct {
		shape, function string
		program         condition.Program
		plain, traced   func(n int)
	}{
		{"two ints", "Ints", condition.Program{Enter: condition.Code{arg(1), number(factor), equal, and, arg(0), number(1 << 50), greater}},
			loop(func(i int) int { return plain.Ints(i, factor) }), loop(func(i int) int { return traced.Ints(i, factor) })},
		{"string and int", "Text", condition.Program{Enter: condition.Code{arg(1), number(factor), equal, and, arg(0), {Op: condition.Text, Text: "cherry"}, equal}},
			loop(func(i int) int { return plain.Text(names[i&1], factor) }), loop(func(i int) int { return traced.Text(names[i&1], factor) })},
		{"field behind a pointer", "Pointer", condition.Program{Enter: condition.Code{arg(0, condition.Step{Kind: condition.Field, Name: "ID"}), number(1 << 50), greater}},
			loop(func(i int) int { return plain.Pointer(&orders[i&1]) }), loop(func(i int) int { return traced.Pointer(&tracedOrders[i&1]) })},
		{"duration", "Ints", condition.Program{Exit: condition.Code{{Op: condition.Duration}, number(1 << 50), greater}},
			loop(func(i int) int { return plain.Ints(i, factor) }), loop(func(i int) int { return traced.Ints(i, factor) })},
	} {
		program, err := condition.Decode(c.program.Append(nil))
		if err != nil {
			return err
		}
		owner := switchboard.Default.Join("Rejected", switchboard.Program)
		err = owner.Set(switchboard.Wish{Want: rt.Watched, Kind: "Rejected", Condition: program,
			Select:   switchboard.Selection{Has: func(f *function.Func) bool { return strings.HasSuffix(f.Name, "/traced."+c.function) }},
			Observer: func(string) switchboard.Observer { return rejected{} }})
		if err != nil {
			return err
		}
		s := measure.Shape{Name: c.shape, NS: 40, Plain: c.plain, Traced: c.traced}
		if err := measure.Print(os.Stdout, t.Round(rungConditions, s)); err != nil {
			return err
		}
		owner.Close()
	}
	return nil
}

// rejected is told of no call.
type rejected struct{}

// Observe panics: all calls are rejected.
func (rejected) Observe(e *switchboard.Event) { panic("a call of " + e.Func.Name + " was accepted") }
