//go:build linux && amd64

package trampoline

import (
	"encoding/binary"
	"syscall"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A goroutine whose event finds no room on one P isn't the latest one of another P any more: events there that stand
// next to each other have nothing between them.
func TestAbsent(t *testing.T) {
	p := newPlayed(t)
	const g7, g8 = 0, 1
	latest := func(want uint64) {
		t.Helper()
		if got := binary.LittleEndian.Uint64(p.memory[Cells+goroutine:]); got != want {
			t.Errorf("P 0 has run goroutine %d, want %d", got, want)
		}
	}
	p.give(0)
	p.run(g7, 0)
	latest(7)
	p.run(g8, 1) // no room, but that is another goroutine's
	latest(7)
	for range 2 { // also where it is known that no P has it
		p.run(g7, 1)
		p.run(g7, 1)
		latest(0)
		p.run(g7, 0)
		latest(7)
	}
	p.run(g8, 0)
	latest(8)
	p.run(g7, 1)
	latest(8)
	if got := p.switches(0); got != 4 {
		t.Errorf("%d switches to other goroutines are recorded, want 4", got)
	}
}

// A played process has Ps and goroutines that do nothing but to record an event.
type played struct {
	memory     []byte
	address    uint64
	goroutines [2][32]byte // id, M
	m          [8]byte     // P
	ps         [2][8]byte  // number
	calls      [2]func()
	codes      [2]uint64 // what the calls lead to
}

func newPlayed(t *testing.T) *played {
	const room = 64 << 10 // for the code
	memory, err := syscall.Mmap(-1, 0, Chunks+format.ChunkSize+room, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("memory that is written and run:", err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	p := &played{memory: memory, address: uint64(uintptr(unsafe.Pointer(&memory[0])))}
	at := Chunks + format.ChunkSize
	w := New(&image.Layout{GGoid: 0, GM: 8, GParent: 16, GStarted: 16, GStackHi: 24, MP: 0, PID: 0}, p.address, p.address+uint64(at))
	for i := range p.goroutines {
		g := &p.goroutines[i]
		binary.LittleEndian.PutUint64(g[0:], uint64(7+i))
		*(*unsafe.Pointer)(unsafe.Pointer(&g[8])) = unsafe.Pointer(&p.m)
		p.codes[i] = w.pc()
		saved := []reg{r12, r13, r14, r15}
		for _, r := range saved {
			w.emit(0x41, 0x50|byte(r&7)) // PUSHQ
		}
		w.word(r14, uint64(uintptr(unsafe.Pointer(g))))
		w.record(w.call(1, false, Record{}), func() {
			for i := len(saved) - 1; i >= 0; i-- {
				w.emit(0x41, 0x58|byte(saved[i]&7)) // POPQ
			}
			w.emit(0xC3)
		})
		code := unsafe.Pointer(&p.codes[i])
		p.calls[i] = *(*func())(unsafe.Pointer(&code))
	}
	binary.LittleEndian.PutUint32(p.ps[1][:], 1)
	copy(memory[at:], w.Bytes())
	return p
}

// give gives the memory's chunk to a P.
func (p *played) give(number int) {
	cell := p.memory[Cells+number*CellSize:]
	binary.LittleEndian.PutUint64(cell[Slot(0):], p.address+Chunks)
	binary.LittleEndian.PutUint64(cell[Tail:], 1)
}

// run has a goroutine record an event on a P.
func (p *played) run(goroutine, number int) {
	*(*unsafe.Pointer)(unsafe.Pointer(&p.m)) = unsafe.Pointer(&p.ps[number])
	p.calls[goroutine]()
}

// switches returns how many switches to another goroutine a P has recorded.
func (p *played) switches(number int) (n int) {
	end := binary.LittleEndian.Uint64(p.memory[Cells+number*CellSize+Cursor:]) - p.address
	for at := uint64(Chunks + format.ChunkHeader); at < end; at += format.RecordSize {
		if binary.LittleEndian.Uint64(p.memory[at+8:])&^format.ValueMask == codeWord(format.CodeGo) {
			n++
		}
	}
	return n
}
