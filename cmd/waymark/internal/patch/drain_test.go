//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Drain tells all events that there were when it began, although a P fills chunks and takes others meanwhile.
func TestDrain(t *testing.T) {
	target := &Target{memory: make([]byte, size), Image: new(image.Image), at: 1 << 32}
	d := &target.drain
	d.begin(target)
	var quit atomic.Bool
	var made atomic.Uint64 // events
	ended := make(chan bool)
	go func() { // what trampolines do on the first P, in chunks of few events
		defer close(ended)
		word := func(field int) *uint64 { return d.word(trampoline.Cells + field) }
		for taken := uint64(0); !quit.Load(); taken++ {
			for taken == atomic.LoadUint64(word(trampoline.Tail)) && !quit.Load() {
				runtime.Gosched()
			}
			address := *word(trampoline.Slot(taken))
			chunk := int(address - target.address(0))
			atomic.StoreUint32(d.state(chunk), format.ChunkActive)
			atomic.StoreUint64(word(trampoline.Chunk), address)
			cursor := address + format.ChunkHeader
			for range 4 {
				at := target.memory[cursor-target.address(0):]
				binary.LittleEndian.PutUint64(at[8:], 1<<format.SiteShift)
				clock, _ := Clock()
				binary.LittleEndian.PutUint64(at, clock)
				cursor += format.RecordSize
				atomic.StoreUint64(word(trampoline.Cursor), cursor)
				made.Add(1)
				for range 1000 { // so that Drain comes between
					runtime.KeepAlive(at)
				}
			}
			binary.LittleEndian.PutUint32(target.memory[chunk+32:], uint32(cursor-address))
			atomic.StoreUint32(d.state(chunk), format.ChunkFull)
			atomic.StoreUint64(word(trampoline.Chunk), 0)
		}
	}()
	told := uint64(0)
	count := func(p *Part) { told += uint64(len(p.Records())) }
	for told < 400_000 && !t.Failed() {
		before := made.Load()
		now, _ := Clock()
		if _, until := target.Drain(true, now, count); until == now && told < before {
			t.Errorf("%d of %d events were told", told, before)
		}
	}
	quit.Store(true)
	<-ended
	for some := true; some; {
		some, _ = target.Drain(true, 0, count)
	}
	if told != made.Load() {
		t.Errorf("%d of %d events were told in the end", told, made.Load())
	}
}

// What waits is what full chunks hold that nobody has drained.
func TestWaiting(t *testing.T) {
	target := &Target{memory: make([]byte, size), Image: new(image.Image), at: 1 << 32}
	d := &target.drain
	d.begin(target)
	for p, full := range []int{2, 1} {
		for _, chunk := range d.of[p].given[:full] {
			binary.LittleEndian.PutUint32(target.memory[chunk+32:], format.ChunkSize)
			atomic.StoreUint32(d.state(chunk), format.ChunkFull)
		}
	}
	if got := target.Waiting(); got != 3*format.ChunkSize/format.RecordSize {
		t.Errorf("%d records wait in three chunks", got)
	}
	target.Drain(true, 0, func(*Part) {})
	if got := target.Waiting(); got != 0 {
		t.Errorf("%d records wait when all were drained", got)
	}
}
