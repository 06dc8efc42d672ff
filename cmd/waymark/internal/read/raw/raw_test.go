package raw_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/raw"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// file returns a trace file with a Meta, a Clock and an unknown block, and their offsets.
func file() (b []byte, offsets [3]int) {
	b = format.AppendHeader(nil)
	offsets[0] = len(b)
	b = format.AppendBlock(b, format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: "clock", Value: "tsc"}}))
	offsets[1] = len(b)
	b = format.AppendBlock(b, format.BlockClock, format.AppendClock(nil, format.ClockPair{Clock: 5, UnixNano: 6, MonoNano: 7}))
	offsets[2] = len(b)
	return format.AppendBlock(b, 77, []byte("later")), offsets
}

func TestWrite(t *testing.T) {
	good, at := file()
	lines := []string{
		fmt.Sprintf("         0 header, 16 bytes: version %d", format.Version),
		fmt.Sprintf("%10d meta, %d bytes, checksum good", at[0], at[1]-at[0]),
		`            clock = "tsc"`,
		fmt.Sprintf("%10d clock, %d bytes, checksum good", at[1], at[2]-at[1]),
		"            clock 5, unix 6 ns, mono 7 ns",
		fmt.Sprintf("%10d kind 77, %d bytes, checksum good", at[2], len(good)-at[2]),
	}
	flipped := bytes.Clone(good)
	flipped[at[0]+format.BlockHeader] ^= 1
	for _, c := range []struct {
		name    string
		b       []byte
		damaged int64
		want    []string
	}{
		{"good", good, 0, lines},
		{"flipped", flipped, int64(at[1] - at[0]), append([]string{
			lines[0], fmt.Sprintf("%10d damaged, %d bytes: meta block of %d bytes: checksum differs: damaged", at[0], at[1]-at[0], at[1]-at[0]-format.BlockHeader),
		}, lines[3:]...)},
		{"cut", good[:len(good)-2], int64(len(good) - 2 - at[2]), append(append([]string(nil), lines[:5]...),
			fmt.Sprintf("%10d damaged, %d bytes: kind 77 block cut off, 3 of 5 bytes: damaged", at[2], len(good)-2-at[2]))},
		{"empty", good[:format.HeaderSize], 0, lines[:1]},
	} {
		var out strings.Builder
		damaged, err := raw.Write(&out, bytes.NewReader(c.b), int64(len(c.b)))
		if want := strings.Join(c.want, "\n") + "\n"; err != nil || damaged != c.damaged || out.String() != want {
			t.Errorf("%s: %d bytes damaged, error %v\n%swant %d, no error\n%s", c.name, damaged, err, out.String(), c.damaged, want)
		}
	}
	if _, err := raw.Write(new(strings.Builder), strings.NewReader("text"), 4); !errors.Is(err, format.ErrNotTrace) {
		t.Errorf("a text: error %v, want %v", err, format.ErrNotTrace)
	}
}

// What a program with a budget writes is printed with its numbers.
func TestCounts(t *testing.T) {
	b := format.AppendHeader(nil)
	b = format.AppendBlock(b, format.BlockCounts, format.AppendCounts(nil, 900, []format.Count{{Site: 7, Level: format.LevelCounted, Calls: 1 << 40}}))
	var enc format.Encoder
	payload, _ := enc.Append(nil, format.Chunk{Stream: 1, Seq: 2, Clock: 500, Goroutine: 3}, []format.Record{
		{Clock: 800, Word: format.FirstCode<<format.SiteShift | format.CodeLong<<format.CodeShift | 96}, {Clock: 7, Word: 250},
	})
	b = format.AppendBlock(b, format.BlockEvents, payload)
	var out strings.Builder
	if damaged, err := raw.Write(&out, bytes.NewReader(b), int64(len(b))); damaged != 0 || err != nil {
		t.Errorf("%d bytes damaged, error %v", damaged, err)
	}
	for _, want := range []string{
		"counts, ", "            clock 900\n", "            site 7: level 2, 1099511627776 calls counted\n",
		"            800 7f42000000000060 goroutine 3 long site 7 token 96 ticks 250\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// Cut at every byte, a file is read without a panic, and all bytes are accounted for.
func TestCuts(t *testing.T) {
	good, _ := file()
	for n := format.HeaderSize; n < len(good); n++ {
		var out strings.Builder
		damaged, err := raw.Write(&out, bytes.NewReader(good[:n]), int64(n))
		if says := strings.Contains(out.String(), "damaged"); err != nil || says != (damaged > 0) || damaged >= int64(n) {
			t.Errorf("the first %d bytes: %d bytes damaged, error %v\n%s", n, damaged, err, out.String())
		}
	}
}
