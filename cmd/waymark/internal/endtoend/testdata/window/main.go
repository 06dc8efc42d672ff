// Window numbers its calls: number n is a call whose callees are its hexadecimal
// digits. Workers do that on several goroutines, and count in a file that is mapped
// shared what they have finished, until the first one has come to a given number
// and ends the program in the way that is asked for.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark"
)

func main() {
	f, err := os.OpenFile(os.Args[1], os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	last, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	workers := 4
	if os.Args[2] == "dump" {
		workers = 2 // a program that makes calls on all CPUs at once soon overwrites what is being dumped
	}
	for i := 1; i < workers; i++ {
		go work((*atomic.Uint64)(unsafe.Pointer(&mem[i*64])), 0, 1<<63-1)
	}
	count := (*atomic.Uint64)(unsafe.Pointer(&mem[0]))
	work(count, 0, last)
	switch os.Args[2] {
	case "panic":
		var p *int
		*p = 1
	case "fatal":
		new(sync.Mutex).Unlock()
	case "quit":
		// Where all goroutines are asleep another thread may find a deadlock at the same
		// time, and the runtime's two reports wait for each other (paniclk, debuglock).
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		time.Sleep(time.Minute)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "dump":
		for i := 1; i <= 3; i++ {
			path, err := waymark.Dump()
			fmt.Println(path, i*last-1, err)
			work(count, i*last, (i+1)*last)
		}
	}
}

func work(count *atomic.Uint64, from, to int) {
	for n := from; n < to; n++ {
		number(n)
		count.Store(uint64(n + 1))
	}
}

//go:noinline
func number(n int) {
	for shift := 28; shift >= 0; shift -= 4 {
		digits[n>>shift&0xF]()
	}
}

var digits = [...]func(){d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, da, db, dc, dd, de, df}

//go:noinline
func d0() {}

//go:noinline
func d1() {}

//go:noinline
func d2() {}

//go:noinline
func d3() {}

//go:noinline
func d4() {}

//go:noinline
func d5() {}

//go:noinline
func d6() {}

//go:noinline
func d7() {}

//go:noinline
func d8() {}

//go:noinline
func d9() {}

//go:noinline
func da() {}

//go:noinline
func db() {}

//go:noinline
func dc() {}

//go:noinline
func dd() {}

//go:noinline
func de() {}

//go:noinline
func df() {}
