package main

import (
	"os"

	"github.com/waymark-go/waymark/dev/benchmarks/grouped"
	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/monitor"
	"github.com/waymark-go/waymark/timing"
)

// rungTimers is measured by timers.
const rungTimers = "timers"

// timers measures what a measurement by a timer of package timing costs, with statistics.
func timers(t measure.Turns) error {
	set := timing.NewSet(timing.Config{})
	set.AddHandler(timing.NewStatistics())
	hand, err := set.Timer("leaf", "")
	if err != nil {
		return err
	}
	plainLeaf := func(i int) int { return plain.Leaf(i, factor) }
	byHand := func(i int) int {
		m := hand.Enter()
		n := plain.Leaf(i, factor)
		hand.Exit(m)
		return n
	}
	round := func(name string, ns float64, traced func(int) int) error {
		shape := measure.Shape{Name: name, NS: ns, Plain: loop(plainLeaf), Traced: loop(traced)}
		return measure.Print(os.Stdout, t.Round(rungTimers, shape))
	}
	if err := round("by hand, disabled", 20, byHand); err != nil {
		return err
	}
	hand.Enable()
	if err := round("by hand", 200, byHand); err != nil {
		return err
	}
	if err := timing.Attach(set, grouped.Leafs); err != nil {
		return err
	}
	defer monitor.Clear(grouped.Leafs)
	return round("of a group's functions", 300, func(i int) int { return grouped.Leaf(i, factor) })
}
