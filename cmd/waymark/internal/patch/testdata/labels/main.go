// Labels makes calls whose goroutines have labels that follow from the first argument. It makes garbage meanwhile, and stacks
// move. The protocol is that of testdata/work.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// touch makes functions that call it have a frame.
//
//go:noinline
func touch(int) {}

//go:noinline
func called(n int) int {
	touch(n)
	return n + 1 // @called
}

// full has arguments that take what room there is.
//
//go:noinline
func full(n int, a, b, c, d map[string]string, l []string) int {
	touch(n + len(a) + len(b) + len(c) + len(d) + len(l))
	return n
}

//go:noinline
func bare() { touch(1) }

// labels returns the labels of a number.
func labels(n int) pprof.LabelSet {
	s := strconv.Itoa(n)
	switch n % 5 {
	case 0:
		return pprof.Labels()
	case 1:
		return pprof.Labels("number", s)
	case 2:
		return pprof.Labels("request", "r"+s, "api_token", "geheim", "number", s)
	case 3:
		return pprof.Labels("text", strings.Repeat("t", 129+n%7), "number", s)
	}
	list := []string{strings.Repeat("k", 65), "v"}
	for i := range 10 {
		list = append(list, "l"+strconv.Itoa(i), s)
	}
	return pprof.Labels(list...)
}

var sink atomic.Pointer[[]byte]

func calls(n int) {
	pprof.Do(context.Background(), labels(n), func(context.Context) {
		called(n)
		s := strconv.Itoa(n)
		m := map[string]string{s: strings.Repeat(s, 40)}
		full(n, m, m, m, m, []string{s, s})
		bare()
	})
	garbage := make([]byte, n%512)
	sink.Store(&garbage)
}

// deep makes calls where the stack has just grown.
//
//go:noinline
func deep(n, depth int) byte {
	var room [256]byte
	room[n%256] = byte(depth)
	if depth == 0 {
		calls(n)
	} else {
		room[1] = deep(n, depth-1)
	}
	return room[n%256] + room[1]
}

func main() {
	debug.SetGCPercent(10)
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	next := 0
	for in.Scan() {
		command, argument, _ := strings.Cut(in.Text(), " ")
		if command == "end" {
			return
		}
		rounds, _ := strconv.Atoi(argument)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for r := range rounds {
					if n := next + i*rounds + r; r%16 == 0 {
						done := make(chan bool) // a new stack
						go func() { deep(n, r%100); close(done) }()
						<-done
					} else {
						calls(n)
					}
				}
			})
		}
		all.Wait()
		next += 4 * rounds
		fmt.Println("count main.called", 4*rounds)
		fmt.Println("done")
	}
}
