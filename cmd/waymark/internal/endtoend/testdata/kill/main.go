// Kill calls functions on four goroutines until it is killed, and counts the
// finished calls of each in a file that it maps shared.
package main

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
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
	for i, leaf := range []func(){leaf0, leaf1, leaf2, leaf3} {
		go work((*atomic.Uint64)(unsafe.Pointer(&mem[i*64])), leaf)
	}
	select {}
}

func work(n *atomic.Uint64, leaf func()) {
	for {
		leaf()
		n.Add(1)
	}
}

//go:noinline
func leaf0() {}

//go:noinline
func leaf1() {}

//go:noinline
func leaf2() {}

//go:noinline
func leaf3() {}
