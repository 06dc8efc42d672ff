package main

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/levels/work"
)

// switching changes levels while calls are open: no exit is without its enter, and each call is
// counted or recorded.
func switching() {
	r := begin()
	set(full)
	stop := make(chan bool)
	var made atomic.Uint64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			l := new(work.Log)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				for j := range 100 {
					work.Leaf(i, j)
				}
				made.Add(100)
				c := make(chan int)
				time.AfterFunc(500*time.Microsecond, func() { close(c) })
				work.Open(c, 10)
				work.Recover(l, 10*time.Microsecond)
				l.Calls = l.Calls[:0]
			}
		})
	}
	levels := []uint32{full, demoted, bare, demoted, full, bare, rt.Counted, rt.Timed | rt.Long}
	for i, began := 0, time.Now(); time.Since(began) < 2*time.Second; i++ {
		set(levels[i%len(levels)])
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
	set(0)
	events := r.end()

	leaf := functions()["Leaf"].site()
	recorded, panics := uint64(0), 0
	for id, list := range events {
		open := make(map[uint64]int)
		depth := 0
		for _, e := range list {
			key := uint64(e.site)<<32 | uint64(e.token)
			switch e.code {
			case enter:
				open[key]++
				depth++
				if e.site == leaf {
					recorded++
				}
			case exit:
				if open[key]--; open[key] < 0 {
					errorf("goroutine %d: an exit of site %d without an enter", id, e.site)
					open[key] = 0
				}
			case format.CodePanic:
				panics++
			}
		}
		for key, n := range open {
			if name := nameOf(uint32(key >> 32)); n != 0 && name != "Panic" && name != "Between" {
				errorf("goroutine %d: %d calls of %s have no exit", id, n, name)
			}
		}
	}
	if panics == 0 {
		errorf("no panics")
	}
	if got := rt.SumOf(leaf).Calls; got+recorded != made.Load() || got == 0 || recorded == 0 {
		errorf("%d calls counted and %d recorded of %d", got, recorded, made.Load())
	}
}

func nameOf(site uint32) string {
	for name, f := range functions() {
		if f.site() == site {
			return name
		}
	}
	return "?"
}

// values checks that calls are recorded without values, and their exits, whatever was wanted when
// they began.
func values() {
	r := begin()
	set(full)
	work.Leaf(1, 2)
	set(bare)
	for range 5000 {
		work.Leaf(3, 4)
		work.Spin(new(work.Log), 0)
	}
	set(full)
	work.Leaf(5, 6)
	set(0)
	events := r.end()[rt.Goroutine()]
	leafs := 0
	for _, e := range events {
		switch {
		case e.site == functions()["Leaf"].site() && e.code <= exit:
			leafs++
			if want := leafs <= 2 || leafs > 2*5001; e.values != want {
				errorf("event %d of Leaf has values: %v", leafs, e.values)
			}
		case e.values:
			errorf("an event %d of %s has values", e.code, nameOf(e.site))
		}
	}
	if leafs != 2*5002 {
		errorf("%d events of Leaf", leafs)
	}
}

// watched checks that monitors see all calls of a demoted function, and the recording the long
// ones.
func watched() {
	r := begin()
	var enters, exits, panics int
	rt.SetMonitor(rt.Monitor{
		Enter: func(site uint32, e *rt.Event, _ unsafe.Pointer) unsafe.Pointer {
			enters++
			return unsafe.Pointer(&enters)
		},
		Exit: func(call unsafe.Pointer, e *rt.Event, _ unsafe.Pointer, returned bool) {
			if exits++; !returned {
				panics++
			}
		},
		Panic: func(call unsafe.Pointer, e *rt.Event, value any, goexit bool) {},
		Info:  func(call unsafe.Pointer, e *rt.Event, site uint32, callers []string) bool { return true },
	})
	set(demoted | rt.Watched)
	l := new(work.Log)
	for range 100 {
		work.Leaf(1, 2)
		work.Spin(l, 200*time.Microsecond)
		work.Recover(l, 200*time.Microsecond)
	}
	set(demoted)
	for range 100 {
		work.Leaf(1, 2)
		work.Spin(l, 200*time.Microsecond)
		work.Recover(l, 200*time.Microsecond)
	}
	set(0)
	if enters != 500 || exits != 500 || panics != 200 {
		errorf("monitor: %d enters, %d exits, of these %d by panics", enters, exits, panics)
	}
	n := make(map[string]int)
	for _, e := range r.end()[rt.Goroutine()] {
		if e.code == format.CodeLong {
			n[nameOf(e.site)]++
		}
	}
	for _, name := range []string{"Spin", "Recover", "Panic", "Between"} {
		if n[name] != 200 || rt.SumOf(functions()[name].site()).Calls != 200 {
			errorf("%s: %d events, %d counted, want 200", name, n[name], rt.SumOf(functions()[name].site()).Calls)
		}
	}
}
