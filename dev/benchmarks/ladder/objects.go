package main

import (
	"errors"
	"os"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
	"github.com/waymark-go/waymark/stats"
)

// rungObjects is measured by objects.
const rungObjects = "objects"

// objects measures what counting objects costs each of them: a timed call makes all objects of a turn,
// and in plain turns they aren't counted.
func objects(t measure.Turns) error {
	var failed error
	counting := func(on, paths bool, f func(int)) func(int) {
		return func(n int) {
			g, err := stats.Start(stats.Options{Objects: on, Paths: paths})
			failed = errors.Join(failed, err)
			f(n)
			g.Stop()
		}
	}
	for _, m := range []struct {
		name  string
		ns    float64
		paths bool
		make  func(int)
	}{
		{"40 bytes", 30, false, traced.Make},
		{"40 bytes, with paths", 30, true, traced.Make},
		{"1 byte", 10, false, traced.MakeTiny},
	} {
		shape := measure.Shape{Name: m.name, NS: m.ns, Plain: counting(false, m.paths, m.make), Traced: counting(true, m.paths, m.make)}
		if err := measure.Print(os.Stdout, t.Round(rungObjects, shape)); err != nil {
			return err
		}
	}
	return failed
}
