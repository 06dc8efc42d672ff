// Faults does work that can be checked, whatever happens around it: its calls are a
// known sequence on each goroutine. It prints a sum of them to stdout, a line to
// stderr, and exits with the status that is asked for.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/waymark-go/waymark"
)

// usage: faults GOROUTINES CALLS STATUS [THING [FILE]]
func main() {
	goroutines, calls, status := number(1), number(2), number(3)
	thing := ""
	if len(os.Args) > 4 {
		thing = os.Args[4]
	}
	switch thing {
	case "descriptors": // all that it may have
		for {
			if _, err := syscall.Open("/", syscall.O_RDONLY, 0); err != nil {
				break
			}
		}
	case "few": // three, which must be there
		for range 3 {
			if _, err := syscall.Open("/", syscall.O_RDONLY, 0); err != nil {
				fmt.Println(err)
			}
		}
	}
	if thing == "daemon" { // descriptor 2 is a file of its own
		fd, err := syscall.Open(os.Args[5], syscall.O_CREAT|syscall.O_WRONLY|syscall.O_TRUNC, 0o600)
		if err != nil || syscall.Dup3(fd, 2, 0) != nil {
			panic(err)
		}
	}
	sums := make([]uint32, goroutines)
	var wg sync.WaitGroup
	half := func() {
		for i := range sums {
			wg.Add(1)
			go func() {
				defer wg.Done()
				sums[i] = work(calls/2, sums[i])
			}()
		}
		wg.Wait()
	}
	half()
	if thing == "pause" {
		fmt.Println("half")
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	switch thing {
	case "heap":
		half()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		os.WriteFile(os.Args[5], []byte(strconv.FormatUint(m.TotalAlloc, 10)), 0o600)
		half = func() {}
	case "dump":
		var said []string
		for range 3 {
			path, err := waymark.Dump()
			said = append(said, fmt.Sprintf("%q %v", path, err))
		}
		os.WriteFile(os.Args[5], []byte(strings.Join(said, "\n")), 0o600)
	}
	half()
	fmt.Printf("%08x\n", sums)
	if thing != "quiet" {
		fmt.Fprintln(os.Stderr, "faults: done")
	}
	os.Exit(status)
}

func number(arg int) int {
	n, err := strconv.Atoi(os.Args[arg])
	if err != nil {
		panic(err)
	}
	return n
}

// work makes n calls, each chosen by the sum of those before.
func work(n int, sum uint32) uint32 {
	for range n {
		sum = digits[sum>>28](sum)
	}
	return sum
}

func next(sum, digit uint32) uint32 { return sum*1664525 + 1013904223 + digit }

var digits = [...]func(uint32) uint32{d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, da, db, dc, dd, de, df}

func d0(s uint32) uint32 { return next(s, 0) }
func d1(s uint32) uint32 { return next(s, 1) }
func d2(s uint32) uint32 { return next(s, 2) }
func d3(s uint32) uint32 { return next(s, 3) }
func d4(s uint32) uint32 { return next(s, 4) }
func d5(s uint32) uint32 { return next(s, 5) }
func d6(s uint32) uint32 { return next(s, 6) }
func d7(s uint32) uint32 { return next(s, 7) }
func d8(s uint32) uint32 { return next(s, 8) }
func d9(s uint32) uint32 { return next(s, 9) }
func da(s uint32) uint32 { return next(s, 10) }
func db(s uint32) uint32 { return next(s, 11) }
func dc(s uint32) uint32 { return next(s, 12) }
func dd(s uint32) uint32 { return next(s, 13) }
func de(s uint32) uint32 { return next(s, 14) }
func df(s uint32) uint32 { return next(s, 15) }
