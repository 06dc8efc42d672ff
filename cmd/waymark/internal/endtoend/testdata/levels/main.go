// Levels demotes functions, and promotes them again, and checks what is recorded of their calls by
// what it knows itself. Its argument says which of the checks to make.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/levels/work"
)

const (
	full    = rt.Recorded
	bare    = rt.Recorded | rt.Unvalued
	demoted = rt.Counted | rt.Long

	limit = 100 * time.Microsecond
)

var failed bool

func errorf(f string, args ...any) {
	fmt.Printf(f+"\n", args...)
	failed = true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	_, counter, _ := rt.Counter()
	rt.SetClock(counter)
	switch os.Args[1] {
	case "long":
		long(demoted)
	case "timed":
		long(rt.Timed | rt.Long)
	case "switch":
		switching()
	case "values":
		values()
	case "watched":
		watched()
	case "seen":
		seen()
	}
	if failed {
		os.Exit(1)
	}
}

type function struct {
	p *rt.Package
	i int
}

func (f function) site() uint32 { return f.p.Base + uint32(f.i) }

// functions returns the functions of package work, by name.
var functions = sync.OnceValue(func() map[string]function {
	list := make(map[string]function)
	rt.Packages(func(p *rt.Package) {
		pkg, sites, err := format.ParseTable([]byte(p.Table))
		check(err)
		if pkg != "github.com/waymark-go/waymark/levels/work" {
			return
		}
		for i, s := range sites {
			list[strings.TrimPrefix(s.Name, pkg+".")] = function{p, i}
		}
	})
	return list
})

// set has flags say what is done with calls of the functions of package work.
func set(flags uint32) {
	for name, f := range functions() {
		if name != "(*Log).end" {
			rt.Want(f.p, f.i, flags)
		}
	}
}

// long checks that calls that take long are recorded, and others aren't, and that all are counted.
func long(flags uint32) {
	r := begin()
	set(flags)
	var logs sync.Map // of *work.Log, by goroutine
	var wg sync.WaitGroup
	leafs := make([]uint64, 8)
	for n := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(n)))
			for range 20 {
				c := make(chan bool)
				l := new(work.Log)
				go func() {
					defer close(c)
					logs.Store(rt.Goroutine(), l)
					calls(rnd, l, &leafs[n])
				}()
				<-c
			}
		})
	}
	wg.Wait()
	time.Sleep(50 * time.Millisecond) // calls that Goexit has ended are recorded when the goroutine is gone
	set(0)
	events := r.end()

	counts := make(map[string]uint64)
	logs.Range(func(id, l any) bool {
		for _, c := range l.(*work.Log).Calls {
			counts[c.Func]++
			if c.Func == "Panic" {
				counts["Between"]++
			}
		}
		compare(r, id.(uint64), l.(*work.Log).Calls, events[id.(uint64)])
		return true
	})
	for _, n := range leafs {
		counts["Leaf"] += n
	}
	for _, name := range []string{"Leaf", "Spin", "Sleep", "Kernel", "Receive", "Lock", "Allocate", "Recurse", "Panic", "Recover", "Between", "Exit"} {
		if got := rt.SumOf(functions()[name].site()).Calls; got != counts[name] || got == 0 {
			errorf("%s: counted %d calls, want %d", name, got, counts[name])
		}
	}
}

// calls makes calls of all kinds, the last one of which ends the goroutine, and counts those of
// Leaf.
func calls(rnd *rand.Rand, l *work.Log, leafs *uint64) {
	d := func() time.Duration {
		if rnd.IntN(2) == 0 {
			return 0
		}
		return time.Duration(rnd.IntN(500)) * time.Microsecond
	}
	var mu sync.Mutex
	for range 10 {
		work.Spin(l, d())
		work.Sleep(l, d())
		work.Kernel(l, d())
		c := make(chan int, 1)
		if wait := d(); wait == 0 {
			c <- 1
		} else {
			time.AfterFunc(wait, func() { c <- 1 })
		}
		work.Receive(l, c)
		if wait := d(); wait > 0 {
			mu.Lock()
			time.AfterFunc(wait, mu.Unlock)
		}
		work.Lock(l, &mu)
		work.Allocate(l, rnd.IntN(200))
		work.Recurse(l, rnd.IntN(30), d())
		work.Recover(l, d())
		for i := range 1000 {
			work.Leaf(i, work.Tiny(i))
			*leafs++
		}
	}
	work.Exit(l, d())
}

// compare looks for the events of calls of a goroutine, which has ended.
func compare(r *recording, id uint64, calls []work.Call, events []event) {
	const slop = 2 * time.Microsecond // of the clocks
	var long []event
	for _, e := range events {
		switch {
		case e.code != format.CodeLong || e.site == functions()["Between"].site() || e.site == functions()["Tiny"].site() || e.site == functions()["Leaf"].site():
		case r.duration(e) < limit*98/100:
			errorf("goroutine %d: a call of %s that took %v is recorded", id, nameOf(e.site), r.duration(e))
		default:
			long = append(long, e)
		}
	}
	// From the last one on: of calls of Recurse that end together the outer ones take longer.
	for i, c := range slices.Backward(calls) {
		took := c.End.Sub(c.Began)
		var e event
		if last := len(long) - 1; last >= 0 && long[last].site == functions()[c.Func].site() && r.time(long[last]).After(c.End.Add(-slop)) {
			e, long = long[last], long[:last]
		}
		switch {
		case e.code == 0 && took < limit:
		case e.code == 0:
			errorf("goroutine %d: a call of %s that took %v isn't recorded", id, c.Func, took)
		case i+1 < len(calls) && r.time(e).After(calls[i+1].End.Add(slop)):
			errorf("goroutine %d: a call of %s ends %v too late", id, c.Func, r.time(e).Sub(c.End))
		case r.duration(e) < took-slop:
			errorf("goroutine %d: a call of %s took %v, and not %v", id, c.Func, took, r.duration(e))
		case i > 0 && c.Func != "Recurse" && c.Func != "Recover" && r.time(e).Add(-r.duration(e)).Before(calls[i-1].End.Add(-slop)):
			errorf("goroutine %d: a call of %s took %v since %v, but the last call ended %v", id, c.Func, r.duration(e), r.time(e).Add(-r.duration(e)), calls[i-1].End)
		}
	}
	if len(long) > 0 {
		errorf("goroutine %d: %d calls too many are recorded, the last one of %s", id, len(long), nameOf(long[len(long)-1].site))
	}
}
