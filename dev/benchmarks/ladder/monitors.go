package main

import (
	"os"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/dev/benchmarks/grouped"
	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/monitor"
)

// rungMonitors is measured by monitors.
const rungMonitors = "monitors"

// monitors measures what monitors cost that are registered against a group, and another group's, and
// what observers cost.
func monitors(t measure.Turns) error {
	plainLeaf := loop(func(i int) int { return plain.Leaf(i, factor) })
	leaf := loop(func(i int) int { return grouped.Leaf(i, factor) })
	noOps := monitor.Compose(monitor.NoOp(), monitor.NoOp(), monitor.NoOp())
	for _, m := range []struct {
		name    string
		group   *waymark.Group
		factory monitor.Factory
		shape   measure.Shape
	}{
		{name: "3 groups, off", shape: measure.Shape{NS: 20, Plain: plainLeaf, Traced: leaf}},
		{name: "3 groups, off: recursion 10", shape: measure.Shape{NS: 20, Per: depth, Plain: recursions(plain.Recurse), Traced: recursions(grouped.Recurse)}},
		{name: "another group on", group: grouped.Others, factory: monitor.NoOp(), shape: measure.Shape{NS: 20, Plain: plainLeaf, Traced: leaf}},
		{name: "NoOp", group: grouped.Leafs, factory: monitor.NoOp(), shape: measure.Shape{NS: 150, Plain: plainLeaf, Traced: leaf}},
		{name: "NoOp, by a group around", group: grouped.All, factory: monitor.NoOp(), shape: measure.Shape{NS: 150, Plain: plainLeaf, Traced: leaf}},
		{name: "Compose of 3 NoOps", group: grouped.Leafs, factory: noOps, shape: measure.Shape{NS: 150, Plain: plainLeaf, Traced: leaf}},
		{name: "OperationTracer", group: grouped.Leafs, factory: monitor.NewOperationTracer(), shape: measure.Shape{NS: 300, Plain: plainLeaf, Traced: leaf}},
	} {
		if m.group != nil {
			if err := monitor.Register(m.group, m.factory); err != nil {
				return err
			}
		}
		m.shape.Name = m.name
		if err := measure.Print(os.Stdout, t.Round(rungMonitors, m.shape)); err != nil {
			return err
		}
		if m.group != nil {
			monitor.Clear(m.group)
		}
	}
	for _, o := range []struct {
		name    string
		observe waymark.ObserverFunc
	}{
		{"observer", func(*waymark.Event) {}},
		{"observer, values", func(e *waymark.Event) { seen += len(e.Args()) + len(e.Results()) }},
	} {
		a, err := waymark.Attach(grouped.Leafs, o.observe)
		if err != nil {
			return err
		}
		s := measure.Shape{Name: o.name, NS: 150, Plain: plainLeaf, Traced: leaf}
		if err := measure.Print(os.Stdout, t.Round(rungMonitors, s)); err != nil {
			return err
		}
		if err := a.Close(); err != nil {
			return err
		}
	}
	return nil
}

// seen counts values that an observer was told.
//
//lint:ignore U1000 Nobody reads it.
var seen int
