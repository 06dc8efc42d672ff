package budget

import (
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestAdvice(t *testing.T) {
	tallies := []format.Tally{
		{},
		{Calls: 1000, Closed: 1000, Ticks: 1000 * 50_000},
		{Calls: 5_000_000, Closed: 5_000_000, Ticks: 5_000_000 * 30},
		{Calls: 9_000_000, Closed: 9_000_000, Ticks: 9_000_000 * 30},
		{Calls: 3},
	}
	const call = 63 // ns, with what is done in the background
	for _, tt := range []struct {
		cpu  int64 // of the program itself
		want []uint32
	}{
		{2e9, []uint32{3, 2}}, // it takes 44 %
		{6e9, []uint32{3}},    // 15 %
		{20e9, nil},           // 4 %
	} {
		spent, sites := Advice(0.1, truth, Usage{Now: tt.cpu, CPU: tt.cpu + 14_001_003*call, Own: 14_001_003 * 18}, 1, tallies, ValueTimes{})
		if spent < 14e6*call*0.95 || spent > 14e6*call*1.05 || !slices.Equal(sites, tt.want) {
			t.Errorf("%d ns of CPU: tracing took %d ns, sites %v; want %d and %v", tt.cpu, spent, sites, 14_001_003*call, tt.want)
		}
	}
}
