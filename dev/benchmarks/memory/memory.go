// Package memory records into memory only: a goroutine takes full chunks and gives
// them back unread.
package memory

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

const chunks = 64

// Record begins to record all instrumented functions. The program must have been
// built by waymark.
func Record() error { return RecordAs(rt.Recorded) }

// RecordAs begins a recording, and has flags say what is done with calls of all instrumented functions.
func RecordAs(flags uint32) error {
	space, err := syscall.Mmap(-1, 0, (chunks+1)*format.ChunkSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("map %d chunks: %w", chunks+1, err)
	}
	//lint:ignore SA4006 without the hooks Capture panics, and what follows is never reached
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(space))) & (format.ChunkSize - 1))
	_, counter, _ := rt.Counter()
	rt.SetClock(counter)
	rt.Capture(true, true, true, format.DefaultDepth, format.DefaultBytes, nil)
	recording := rt.Start(space[skip:skip+chunks*format.ChunkSize], rt.Block)
	for i := 1; i < chunks; i++ {
		rt.Free(i)
	}
	rt.Go(func() {
		for rt.Wait(recording) {
			for i := rt.Take(); i >= 0; i = rt.Take() {
				rt.Free(i)
			}
		}
	})
	rt.Packages(func(p *rt.Package) {
		for i := range p.Sites {
			rt.Want(p, i, flags)
		}
	})
	return nil
}
