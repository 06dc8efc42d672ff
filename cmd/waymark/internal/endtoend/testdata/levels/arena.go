package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/program/rt"
)

const chunks = 2000

// A recording has an arena that is large enough for all events: nobody empties it.
type recording struct {
	arena []byte
	rate  float64 // ticks per ns
	clock uint64
	mono  int64
	wall  time.Time
}

// duration returns what the call of an event took.
func (r *recording) duration(e event) time.Duration { return time.Duration(float64(e.ticks) / r.rate) }

// time returns when an event happened.
func (r *recording) time(e event) time.Time {
	return r.wall.Add(time.Duration(float64(int64(e.clock-r.clock)) / r.rate))
}

func begin() *recording {
	space, err := syscall.Mmap(-1, 0, (chunks+1)*format.ChunkSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(err)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(space))) & (format.ChunkSize - 1))
	r := &recording{arena: space[skip : skip+chunks*format.ChunkSize]}
	rt.Capture(true, true, true, 2, 100, nil)
	rt.Start(r.arena, rt.Drop)
	for i := chunks - 1; i > 0; i-- {
		rt.Free(i)
	}
	r.wall, r.clock, r.mono = now()
	return r
}

// now reads all clocks at about the same time.
func now() (wall time.Time, clock uint64, mono int64) {
	for {
		wall = time.Now()
		if clock, mono = rt.Clock(); time.Since(wall) < time.Microsecond {
			return wall, clock, mono
		}
	}
}

// An event is a record of the arena.
type event struct {
	clock, goroutine uint64
	code             int // 0: enter, 1: exit, else of package format
	site             uint32
	token            uint32
	ticks            uint64
	values           bool
}

const (
	enter = 0
	exit  = 1
)

// end ends the recording and returns the events of each goroutine.
func (r *recording) end() map[uint64][]event {
	_, clock, mono := now()
	r.rate = float64(clock-r.clock) / float64(mono-r.mono)
	rt.Stop()
	if lost := rt.Lost(); lost > 0 {
		panic(fmt.Sprintf("lost %d events", lost))
	}
	rt.Retire()
	events := make(map[uint64][]event)
	for at := format.ChunkSize; at < len(r.arena); at += format.ChunkSize {
		chunk := r.arena[at : at+format.ChunkSize]
		h := format.ParseChunk(chunk)
		if h.Lost > 0 {
			panic("lost events")
		}
		end := format.ChunkSize
		if h.State == format.ChunkFull {
			end = int(h.End)
		} else if h.State != format.ChunkActive {
			continue
		}
		goroutine := uint64(0)
		for at := format.ChunkHeader; at+format.RecordSize <= end; at += format.RecordSize {
			e := event{clock: binary.LittleEndian.Uint64(chunk[at:]), goroutine: goroutine}
			word := binary.LittleEndian.Uint64(chunk[at+8:])
			if e.clock < h.Clock || word == 0 {
				if h.State == format.ChunkFull {
					panic(fmt.Sprintf("record %x %x in a full chunk", e.clock, word))
				}
				break
			}
			e.site, e.token = uint32(word>>32)&(1<<31-1), uint32(word)
			if word>>63 == 1 {
				e.code = exit
			}
			if e.site>>24 == 0x7F {
				e.code = int(word >> 48 & 0xFF)
				switch e.code {
				case format.CodeGo:
					goroutine = word & format.ValueMask
					continue
				case format.CodeValues:
					at += (int(word&format.ValueMask) + 15) / 16 * 16
				case format.CodeInts:
					at += (int(word&7) + 1) / 2 * 16
				case format.CodeLong:
					e.site, e.ticks = binary.LittleEndian.Uint32(chunk[at+16:]), binary.LittleEndian.Uint64(chunk[at+24:])
					at += 16
				}
				if e.code == format.CodeValues || e.code == format.CodeInts {
					list := events[goroutine]
					list[len(list)-1].values = true
					continue
				}
			}
			events[goroutine] = append(events[goroutine], e)
		}
	}
	for _, list := range events {
		slices.SortStableFunc(list, func(a, b event) int {
			switch {
			case a.clock < b.clock:
				return -1
			case a.clock > b.clock:
				return 1
			}
			return 0
		})
	}
	return events
}
