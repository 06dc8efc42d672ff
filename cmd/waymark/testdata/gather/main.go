package main

import (
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/gather"
	"github.com/waymark-go/waymark/internal/switchboard"
)

func text(t *gather.Trace) string {
	var b strings.Builder
	for i, s := range t.Strands {
		by := "-"
		if s.By != nil {
			by = s.By.Name
		}
		fmt.Fprintf(&b, "strand %d by %s detached %v: ", i, by[strings.LastIndexByte(by, '.')+1:], s.Detached)
		for _, e := range s.Events {
			name := ""
			if e.Func != nil {
				name = e.Func.Name[strings.LastIndexByte(e.Func.Name, '.')+1:]
			}
			fmt.Fprintf(&b, "%s %s %v %v; ", e.Kind, name, e.Left, e.At)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func main() {
	g, err := gather.Start(gather.Options{
		Roots: switchboard.Selection{Has: func(f *function.Func) bool { return strings.HasSuffix(f.Name, ".Root") }},
		Keep:  gather.Keep{All: true},
		Deliver: func(t *gather.Trace) {
			fmt.Println(t.Key, t.Root.Name, t.Duration, t.Failed, t.Panicked, t.Exited, t.Lost)
			fmt.Print(text(t))
		},
	})
	if err != nil {
		panic(err)
	}
	work.Many(10)
	work.Root(func() { work.Many(3) })
	work.Root(func() { work.Go(2, func() { work.Inner(work.Leaf) }) })
	work.Recovers(func() { work.Root(func() { work.Inner(work.Raise) }) })
	work.Root(func() { work.Recovers(work.Raise) })
	work.Go(1, func() { work.Root(func() { work.Inner(work.Exit) }) })
	work.Root(func() { work.Pull(2) })
	g.Stop()
	fmt.Println(g.Counts())
}
