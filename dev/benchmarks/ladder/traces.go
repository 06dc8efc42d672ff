package main

import (
	"strings"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// traces begins to gather traces, of which none is kept.
func traces() error {
	_, err := gather.Start(gather.Options{
		Roots:   switchboard.Selection{Has: func(f *function.Func) bool { return strings.HasSuffix(f.Name, "traced.Request") }},
		Keep:    gather.Keep{Longer: time.Hour},
		Deliver: func(*gather.Trace) {},
	})
	return err
}

// perRoot is about how many calls a root call makes.
const perRoot = 1000

// under makes the traced calls of s under root calls.
func under(s measure.Shape) func(n int) {
	per := max(s.Per, 1)
	per *= max(perRoot/per, 1)
	return func(n int) {
		for ; n > 0; n -= per {
			traced.Request(func() { s.Traced(min(n, per)) })
		}
	}
}
