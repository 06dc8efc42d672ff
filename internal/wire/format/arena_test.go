package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"
)

func TestControl(t *testing.T) {
	b := make([]byte, ChunkSize)
	c := Control{PID: 1 << 21, Nonce: [16]byte{1, 2, 15: 16}}
	PutControl(b, c)
	if got, err := ParseControl(b); err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
	binary.LittleEndian.PutUint64(b[arenaClock:], 77)
	binary.LittleEndian.PutUint64(b[arenaMono:], 33)
	c.Pair = ClockPair{Clock: 77, MonoNano: 33}
	if got, err := ParseControl(b); err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
	for _, test := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"short", b[:OriginsOffset-1], ErrDamaged},
		{"magic", append([]byte("w"), b...), ErrDamaged},
		{"version 0", replace(b, arenaVersion, 0), ErrDamaged},
		{"version 1", replace(b, arenaVersion, 1), nil},
		{"version 3", replace(b, arenaVersion, 3), ErrVersion},
		{"chunk size", replace(b, arenaChunkSize, 0), ErrDamaged},
	} {
		if _, err := ParseControl(test.bytes); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func replace(b []byte, at int, with byte) []byte {
	b = bytes.Clone(b)
	clear(b[at : at+4])
	b[at] = with
	return b
}

func TestControlOrigins(t *testing.T) {
	b := make([]byte, ChunkSize)
	PutControl(b, Control{})
	want := []Origin{{1, "main.main", "main.go", 7}, {2, "", "", 0}, {3, "a.B", "c.go", 1 << 30}, {4, "12345678", "", 1}}
	var got []Origin
	next := 0
	for i, o := range want {
		if i%3 == 0 { // read one at a time, and several
			var some []Origin
			some, next = ControlOrigins(b, next, uint32(len(got)))
			got = append(got, some...)
		}
		if !PutOrigin(b, 0x123456, o) {
			t.Fatal("no room")
		}
	}
	some, next := ControlOrigins(b, next, uint32(len(got)))
	if got = append(got, some...); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if some, again := ControlOrigins(b, next, 4); len(some) > 0 || again != next {
		t.Errorf("after the last: %v, %d, want %d", some, again, next)
	}
	// An entry that doesn't fit ends the list.
	used := binary.LittleEndian.Uint32(b[arenaOrigins:])
	for _, n := range []uint32{used - 1, used - 8, 17} {
		binary.LittleEndian.PutUint32(b[arenaOrigins:], n)
		if got, _ := ControlOrigins(b, 0, 0); len(got) >= len(want) {
			t.Errorf("%d bytes: %v", n, got)
		}
	}
}

// putRecords writes a chunk.
func putRecords(h Chunk, recs []Record) []byte {
	b := make([]byte, ChunkSize)
	le := binary.LittleEndian
	le.PutUint32(b, h.State)
	le.PutUint32(b[4:], h.Stream)
	le.PutUint64(b[8:], h.Seq)
	le.PutUint64(b[16:], h.Clock)
	le.PutUint64(b[24:], h.Goroutine)
	le.PutUint32(b[32:], h.End)
	le.PutUint64(b[40:], h.Lost)
	for i, r := range recs {
		le.PutUint64(b[ChunkHeader+i*RecordSize:], r.Clock)
		le.PutUint64(b[ChunkHeader+i*RecordSize+8:], r.Word)
	}
	return b
}

func TestRecords(t *testing.T) {
	call := func(clock uint64) Record { return Record{clock, 1<<SiteShift | 100} }
	values := func(clock, n uint64) Record { return Record{clock, FirstCode<<SiteShift | CodeValues<<CodeShift | n} }
	full := func(n int) uint32 { return uint32(ChunkHeader + n*RecordSize) }
	for _, test := range []struct {
		name  string
		state uint32
		end   uint32
		recs  []Record
		want  int
	}{
		{"empty", ChunkActive, 0, nil, 0},
		{"active", ChunkActive, 0, []Record{call(1000), call(1001), call(1001)}, 3},
		{"older behind", ChunkActive, 0, []Record{call(1000), call(1001), call(999), call(1002)}, 2},
		{"clock not yet stored", ChunkActive, 0, []Record{call(1000), {0, 5 << SiteShift}}, 1},
		{"clock not yet stored over an older one", ChunkActive, 0, []Record{call(1000), {998, 5 << SiteShift}, call(999)}, 1},
		{"nothing written", ChunkActive, 0, []Record{call(17), call(18)}, 0},
		{"a counter that goes back", ChunkActive, 0, []Record{call(1000), call(1050), call(1040)}, 3},
		{"values", ChunkActive, 0, []Record{call(1000), values(1000, 17), {1, 0}, {0, 0}, call(1001)}, 5},
		{"values cut off", ChunkActive, 0, []Record{call(1000), values(1000, 1<<40)}, (ChunkSize - ChunkHeader) / RecordSize},
		{"a long call", ChunkActive, 0, []Record{call(1000), {1000, FirstCode<<SiteShift | CodeLong<<CodeShift | 48}, {7, 5000}, call(1001)}, 4},
		{"a wait", ChunkActive, 0, []Record{call(1000), {1000, FirstCode<<SiteShift | CodeWaited<<CodeShift | 2}, {7, 5000}, call(1001)}, 4},
		{"objects", ChunkActive, 0, []Record{call(1000), {1000, FirstCode<<SiteShift | CodeMade<<CodeShift | 2}, {0, 5000}, call(1001)}, 4},
		{"a long call over an older one", ChunkActive, 0, []Record{call(1000), {999, FirstCode<<SiteShift | CodeLong<<CodeShift | 48}, {7, 5000}, call(1001)}, 1},
		{"what was left of a long call", ChunkActive, 0, []Record{call(1000), {7, 5000}, call(1001)}, 1},
		{"full", ChunkFull, full(2), []Record{call(1000), call(1001), call(1002)}, 2},
		{"full, its first clock from another CPU", ChunkFull, full(2), []Record{call(990), call(1001)}, 2},
		{"full to the last record", ChunkFull, ChunkSize, nil, (ChunkSize - ChunkHeader) / RecordSize},
		{"full with a bad end", ChunkFull, ChunkSize + 16, []Record{call(1000), call(1)}, 1},
		{"full with a bad end", ChunkFull, 3, []Record{call(1000)}, 0},
	} {
		h := Chunk{State: test.state, Stream: 3, Seq: 1 << 40, Clock: 1000, Goroutine: 1 << 50, End: test.end, Lost: 9}
		got, recs := Records(putRecords(h, test.recs))
		if got != h || len(recs) != test.want {
			t.Errorf("%s: %d records, want %d; header %+v, want %+v", test.name, len(recs), test.want, got, h)
		}
		for i := 0; i < min(len(recs), len(test.recs)); i++ {
			if recs[i] != test.recs[i] {
				t.Errorf("%s: record %d is %+v, want %+v", test.name, i, recs[i], test.recs[i])
			}
		}
	}
}

// Whatever is in an arena, what is made of it can be read.
func FuzzArena(f *testing.F) {
	f.Add(putRecords(Chunk{State: ChunkActive, Clock: 10}, []Record{{11, 1<<SiteShift | 100}, {12, ExitBit | 1<<SiteShift | 100}})[:128])
	control := make([]byte, 256)
	PutControl(control, Control{})
	PutOrigin(control, 0x123456, Origin{1, "main.main", "main.go", 7})
	f.Add(control)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := ParseControl(b); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
			t.Error(err)
		}
		origins, next := ControlOrigins(b, 0, 0)
		if len(origins) > len(b) || next > len(b) {
			t.Errorf("%d origins up to byte %d in %d bytes", len(origins), next, len(b))
		}
		chunk := make([]byte, ChunkSize)
		copy(chunk, b)
		h, recs := Records(chunk)
		for i := range recs {
			recs[i].Clock &= 1<<62 - 1
		}
		h.Clock &= 1<<62 - 1
		h.Stream %= MaxStreams
		roundTrip(t, h, recs)
	})
}
