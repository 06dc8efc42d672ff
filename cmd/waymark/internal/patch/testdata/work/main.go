// Work makes calls when it is told to, and says how many it made of which function:
//
//	go ROUNDS     each of four goroutines makes calls for so many rounds
//	end           it ends
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// counters of calls, by the names of functions.
var leafs, frames, recursions, deeps, panics, recovers, errs, methods, generics, exits atomic.Int64

func main() {
	if os.Getenv("WORK_GC") != "" {
		debug.SetGCPercent(5)
	}
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	for in.Scan() {
		command, argument, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "go":
			n, _ := strconv.Atoi(argument)
			run(n)
			report()
		case "end":
			return
		}
	}
}

func report() {
	for name, n := range map[string]*atomic.Int64{"leaf": &leafs, "frame": &frames, "recursion": &recursions, "deep": &deeps, "panics_": &panics,
		"recovers_": &recovers, "fails": &errs, "(*T).method": &methods, "generic[...]": &generics, "exits_": &exits} {
		fmt.Println("count", "main."+name, n.Swap(0))
	}
	fmt.Println("done")
}

func run(rounds int) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			worker(i, rounds)
		}()
	}
	all.Wait()
}

func worker(i, rounds int) {
	t := &T{n: i}
	for r := range rounds {
		leaf(r)
		frame(r, "text")
		recursion(12)
		recovers_(r)
		fails(r)
		t.method(r)
		generic(r)
		generic("s")
		if r%64 == 0 {
			deep(2000)
			garbage(i, r)
		}
		if r%16 == 0 {
			ended := make(chan bool)
			go func() {
				defer close(ended)
				defer runtime.Gosched() // it may end on another P
				exits_()
			}()
			<-ended
		}
	}
}

//go:noinline
func leaf(n int) int {
	leafs.Add(1)
	return n*7 + 1
}

//go:noinline
func frame(n int, s string) int {
	frames.Add(1)
	return leaf(n) + len(strings.Repeat(s, n%3))
}

//go:noinline
func recursion(n int) int {
	recursions.Add(1)
	if n < 2 {
		return n
	}
	return recursion(n-1) + 1
}

// deep has the stack grow.
//
//go:noinline
func deep(n int) int {
	deeps.Add(1)
	var room [64]byte
	room[n%64] = byte(n)
	if n == 0 {
		return int(room[0])
	}
	return deep(n-1) + int(room[n%64])
}

//go:noinline
func panics_(n int) {
	panics.Add(1)
	if n%4 == 0 {
		panic(errors.New("now"))
	}
	if n%4 == 1 {
		var p *int
		*p = n
	}
}

//go:noinline
func recovers_(n int) (failed bool) {
	recovers.Add(1)
	defer func() { failed = recover() != nil }()
	panics_(n)
	return
}

//go:noinline
func fails(n int) error {
	errs.Add(1)
	if n%10 == 0 {
		return errors.New("failed")
	}
	return nil
}

// A T has a method.
type T struct{ n int }

//go:noinline
func (t *T) method(n int) int {
	methods.Add(1)
	t.n += n
	return t.n
}

//go:noinline
func generic[V any](v V) string {
	generics.Add(1)
	return fmt.Sprint(v)
}

//go:noinline
func exits_() {
	exits.Add(1)
	runtime.Goexit()
}

var kept [4][64][]byte

func garbage(i, n int) { kept[i][n%64] = make([]byte, 4096) }
