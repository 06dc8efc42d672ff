package recording

import (
	"fmt"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// EndOf returns the clock when the recording ended.
func EndOf(file *tracefile.File) uint64 { return file.ClockAt(file.Info().Duration) }

// ScaleOf returns the length of a tick of the file's clock.
func ScaleOf(file *tracefile.File) calltree.Scale {
	const ticks = 1 << 40 // some minutes: enough for a nanosecond more or less not to matter
	start := file.ClockAt(0)
	return calltree.Scale{Ticks: ticks, Nanos: uint64(max(file.Nanos(start+ticks), 1))}
}

// ParseWindow reads a time window, "FROM..TO", as in "1.5s..2s". Either side may be missing. A number
// without a unit is seconds.
func ParseWindow(text string) (from, to time.Duration, err error) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		return 0, 0, fmt.Errorf("time window %q: want FROM..TO, as in 1.5s..2s", text)
	}
	for _, side := range []struct {
		text string
		d    *time.Duration
	}{{a, &from}, {b, &to}} {
		if side.text == "" {
			continue
		}
		d, err := setting.ParseDuration(side.text)
		if err != nil || d < 0 {
			return 0, 0, fmt.Errorf("time window %q: %q is not a time since the start, as in 1.5s", text, side.text)
		}
		*side.d = d
	}
	if b != "" && to <= from {
		return 0, 0, fmt.Errorf("time window %q: ends before it begins", text)
	}
	return from, to, nil
}
