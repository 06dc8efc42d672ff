package tracefile

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestTimeline(t *testing.T) {
	const day = 86400
	rnd := seed.Rand(t, 1)
	for _, test := range []struct{ start, ticks, ns uint64 }{
		{0, 1, 1},
		{1000, 2_600_000_000, 1e9},               // TSC
		{5, 24_000_000, 1e9},                     // CNTVCT
		{1 << 60, 1e9, 1e9},                      // nanotime
		{7, 100 * day * 3_000_000_000, 99e9},     // a clock that is much too fast
		{7, 3, 100 * day * 1e9},                  // and too slow
		{0, 2_599_999_871, 1_000_000_017},        // primes
		{0, 1, math.MaxInt64},                    //
		{0, math.MaxUint64, 1},                   //
		{0, math.MaxUint64, math.MaxInt64},       //
		{math.MaxUint64 / 2, 3_000_000_000, 1e9}, //
	} {
		line := newTimeline(test.start, test.ticks, test.ns)
		if got := line.nanos(test.start); got != 0 {
			t.Errorf("%+v: start is at %d ns", test, got)
		}
		if end := test.start + test.ticks; end >= test.start {
			if got := line.nanos(end); got != int64(test.ns) {
				t.Errorf("%+v: end is at %d ns", test, got)
			}
		}
		for i := 0; i < 1000; i++ {
			ticks := rnd.Uint64() >> rnd.Intn(64)
			want := new(big.Int).SetUint64(ticks)
			want.Mul(want, new(big.Int).SetUint64(test.ns)).Div(want, new(big.Int).SetUint64(test.ticks))
			exact := int64(math.MaxInt64)
			if want.IsInt64() {
				exact = want.Int64()
			}
			got := line.span(ticks)
			// The scale is rounded up in its last bit.
			if off := got - exact; off < 0 || off > 2+exact>>62 {
				t.Errorf("%+v: %d ticks are %d ns, want %d", test, ticks, got, exact)
			}
			if after := line.span(ticks + 1); after < got && ticks < math.MaxUint64 {
				t.Errorf("%+v: %d ticks are %d ns, one more %d", test, ticks, got, after)
			}
			if ticks <= test.start {
				if before := line.nanos(test.start - ticks); before != -got {
					t.Errorf("%+v: %d ticks before the start is at %d ns, want %d", test, ticks, before, -got)
				}
			}
		}
	}
}

// What a file without some of its Clock blocks makes of its clock.
func TestNanos(t *testing.T) {
	const second = testHz
	newFile := func(hz uint64, clocks ...format.ClockPair) *File {
		w := &tracetest.Writer{File: format.AppendHeader(nil)}
		w.Block(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaHz, Value: fmt.Sprint(hz)}}))
		for _, p := range clocks {
			w.Block(format.BlockClock, format.AppendClock(nil, p))
		}
		w.Chunk(0, 1, []format.Record{{Clock: testStart + 1, Word: 1 << format.SiteShift}})
		return openBytes(t, w.File)
	}
	a, b, c := testClock.At(testStart), testClock.At(testStart+second), testClock.At(testStart+10*second)
	b.MonoNano += 1e8 // must not matter: the last one counts
	set := c
	set.UnixNano -= 3600e9 // nor must the wall clock, which may be set at any time
	back, still := a, a
	back.Clock--
	still.Clock += second
	for _, test := range []struct {
		name  string
		file  *File
		clock uint64
		want  int64
	}{
		{"two", newFile(1, a, c), testStart + 5*second, 5e9},
		{"three", newFile(1, a, b, c), testStart + 5*second, 5e9},
		{"wall clock set back", newFile(1, a, set), testStart + 5*second, 5e9},
		{"before", newFile(1, a, c), testStart - second/2000, -5e5},
		{"one", newFile(2*second, a), testStart + 2*second, 1e9},
		{"one, no hz", newFile(0, a), testStart + 17, 17},
		{"none", newFile(second), testStart + second, 1e9},
		{"back", newFile(second, a, back), testStart + second, 1e9},
		{"still", newFile(second, a, still), testStart + second, 1e9},
	} {
		if got := test.file.Nanos(test.clock); got != test.want {
			t.Errorf("%s: clock %d is at %d ns, want %d", test.name, test.clock, got, test.want)
		}
	}
}
