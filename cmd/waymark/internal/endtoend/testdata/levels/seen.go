package main

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/levels/work"
)

const (
	goroutines = 8
	rounds     = 5200 // of each goroutine: with the functions of work.First a million calls
)

// firsts returns the functions of work.First.
func firsts() (list []function) {
	for name, f := range functions() {
		if strings.HasPrefix(name, "first") && !strings.Contains(name, ".") {
			list = append(list, f)
		}
	}
	return list
}

// storm has goroutines begin to call all functions of work.First at one moment, each n times.
func storm(n int) {
	var wg sync.WaitGroup
	start := make(chan bool)
	for g := range goroutines {
		wg.Go(func() {
			<-start
			for i := range n {
				for k := range work.First {
					work.First[(k+g*3)%len(work.First)](i)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

// seen checks that the first call of each function is noted once, whatever else is wanted, and that the
// function is as it would be without from then on.
func seen() {
	memory := make([]byte, 1<<16)
	rt.SeenStart(memory)
	half := memory[len(memory)/2:]
	list := firsts()
	if len(list) != len(work.First) {
		errorf("%d functions are instrumented, want %d", len(list), len(work.First))
	}
	want := func(flags uint32) {
		for _, f := range list {
			rt.Want(f.p, f.i, flags)
		}
	}
	reported := uint64(0)
	// checkSeen checks that as many functions were reported anew, and that those of list have bits.
	checkSeen := func(what string, n int) {
		calls, _ := rt.SeenCalls()
		if calls != reported+uint64(n) {
			errorf("%s: %d first calls, want %d", what, calls-reported, n)
		}
		reported = calls
		count := 0
		for _, b := range half {
			count += bits.OnesCount8(b)
		}
		for _, f := range list {
			if half[f.site()/8]&(1<<(f.site()%8)) == 0 {
				errorf("%s: site %d has no bit", what, f.site())
			}
		}
		if count != len(list) {
			errorf("%s: %d bits, want %d", what, count, len(list))
		}
	}
	words := func(what string, flagged bool) {
		for _, f := range list {
			if word := f.p.Sites[f.i]; (word != 0) != flagged {
				errorf("%s: the word of site %d is %#x", what, f.site(), word)
			}
		}
	}

	want(rt.Seen)
	storm(rounds)
	checkSeen("alone", len(list))
	words("alone", false)
	want(0)
	want(rt.Seen)
	storm(1)
	checkSeen("wanted again", 0)
	words("wanted again", false)

	for _, flags := range []uint32{rt.Counted, rt.Timed, rt.Counted | rt.Long} {
		before := make([]uint64, len(list))
		for i, f := range list {
			before[i] = rt.SumOf(f.site()).Calls
		}
		want(rt.Seen | flags)
		clear(half)
		rt.SeenReset()
		storm(100)
		checkSeen("beside others", len(list))
		words("beside others", true)
		for i, f := range list {
			if n := rt.SumOf(f.site()).Calls - before[i]; n != 100*goroutines {
				errorf("wish %#x: %d calls are counted, want %d", flags, n, 100*goroutines)
			}
		}
		want(0)
		words("off", false)
	}
	seenRecorded(list, want)
	clear(half)
	want(rt.Seen)
	rt.SeenReset()
	reported, _ = rt.SeenCalls()
	seenSwitched(list)
	want(rt.Seen)
	rt.SeenReset()
	storm(1)
	reported, _ = rt.SeenCalls()
	checkSeen("switched", 0)
	words("switched", false)
}

// seenRecorded checks that first calls are recorded, and told to monitors.
func seenRecorded(list []function, want func(uint32)) {
	r := begin()
	rt.SeenReset()
	want(rt.Seen | rt.Recorded)
	rt.SeenReset()
	storm(3)
	want(0)
	counts := make(map[uint32][2]int)
	for _, events := range r.end() {
		for _, e := range events {
			if e.code == enter || e.code == exit {
				n := counts[e.site]
				n[e.code]++
				counts[e.site] = n
			}
		}
	}
	for _, f := range list {
		if n := counts[f.site()]; n != [2]int{3 * goroutines, 3 * goroutines} {
			errorf("site %d: %d enters and exits are recorded, want %d of each", f.site(), n, 3*goroutines)
		}
	}
	var mu sync.Mutex
	told := make(map[uint32]int)
	ended := 0
	rt.SetMonitor(rt.Monitor{
		Enter: func(site uint32, e *rt.Event, _ unsafe.Pointer) unsafe.Pointer {
			mu.Lock()
			defer mu.Unlock()
			told[site]++
			return unsafe.Pointer(&ended)
		},
		Exit: func(unsafe.Pointer, *rt.Event, unsafe.Pointer, bool) {
			mu.Lock()
			defer mu.Unlock()
			ended++
		},
	})
	want(rt.Seen | rt.Watched)
	rt.SeenReset()
	storm(3)
	want(0)
	for _, f := range list {
		if n := told[f.site()]; n != 3*goroutines {
			errorf("site %d: the monitor is told of %d calls, want %d", f.site(), n, 3*goroutines)
		}
	}
	if n := 3 * goroutines * len(list); ended != n {
		errorf("the monitor is told of %d ends, want %d", ended, n)
	}
}

// seenSwitched switches functions, and arms them again, while goroutines call them.
func seenSwitched(list []function) {
	done := make(chan bool)
	go func() {
		defer close(done)
		storm(rounds)
	}()
	rnd := rand.New(rand.NewPCG(1, 2))
	wishes := []uint32{0, rt.Seen, rt.Counted, rt.Seen | rt.Counted, rt.Seen | rt.Timed, rt.Timed}
	for {
		select {
		case <-done:
			return
		default:
		}
		for range 100 {
			f := list[rnd.IntN(len(list))]
			rt.Want(f.p, f.i, wishes[rnd.IntN(len(wishes))])
		}
		rt.SeenReset()
	}
}
