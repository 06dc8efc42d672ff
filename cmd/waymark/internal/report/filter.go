package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// A Filter leaves calls out of a report, as if their functions had not been
// instrumented: their time is then that of their callers. See package calltree.
// The zero value leaves nothing out.
type Filter struct {
	From, To   time.Duration             // since the recording's start; To 0 is no end
	Goroutines []uint64                  // these only, unless there are none
	Keep       func(tracefile.Site) bool // these functions only, unless nil
	Min        time.Duration             // without calls that are shorter
	Depth      int                       // without calls that have as many callers; 0 is no limit
}

// Read follows the calls of a file that the filter lets through. o says what is to
// be found out about them; ScaleOf gives the length of the ticks that it is told in.
func (f *Filter) Read(file *tracefile.File, o calltree.Options) (*calltree.Result, error) {
	return f.ReadFrom(file.Events(), file, o)
}

// ReadFrom is Read of those events of the file that src gives.
func (f *Filter) ReadFrom(src calltree.Source, file *tracefile.File, o calltree.Options) (*calltree.Result, error) {
	only := f.options(file, ScaleOf(file))
	only.Key, only.Goroutines, only.Tree, only.OnEnter, only.OnCall = o.Key, o.Goroutines, o.Tree, o.OnEnter, o.OnCall
	return calltree.Read(src, only, EndOf(file))
}

// options gives the filter in terms of a file's clock and sites.
func (f *Filter) options(file *tracefile.File, scale calltree.Scale) calltree.Options {
	o := calltree.Options{Min: scale.TicksOf(int64(f.Min)), Depth: f.Depth}
	if f.From > 0 {
		o.From = clockAt(file, f.From)
	}
	if f.To > 0 {
		o.To = clockAt(file, f.To)
	}
	if len(f.Goroutines) > 0 {
		o.Goroutine = func(id uint64) bool { return slices.Contains(f.Goroutines, id) }
	}
	if f.Keep != nil {
		o.Keep = func(id uint32) bool {
			s, ok := file.Site(id)
			return ok && f.Keep(s)
		}
	}
	return o
}

// clockAt gives the first clock reading at t or later.
func clockAt(file *tracefile.File, t time.Duration) uint64 {
	low, high := uint64(0), uint64(1)<<63
	for low < high {
		if mid := low + (high-low)/2; file.Nanos(mid) < int64(t) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// EndOf gives the clock when the recording ended.
func EndOf(file *tracefile.File) uint64 { return clockAt(file, file.Info().Duration) }

// ScaleOf gives the length of a tick of the file's clock.
func ScaleOf(file *tracefile.File) calltree.Scale {
	const ticks = 1 << 40 // some minutes: enough for a nanosecond more or less not to matter
	start := clockAt(file, 0)
	return calltree.Scale{Ticks: ticks, Nanos: uint64(max(file.Nanos(start+ticks), 1))}
}

// ParseWindow reads a time window, "FROM..TO", as in "1.5s..2s". Either side may
// be missing.
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
		d, err := time.ParseDuration(side.text)
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

// ParseGoroutines reads a list of goroutine ids, "1,17".
func ParseGoroutines(text string) ([]uint64, error) {
	var ids []uint64
	for _, s := range strings.Split(text, ",") {
		id, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
		if err != nil || id == 0 {
			return nil, fmt.Errorf("goroutine %q: want a goroutine's number, or several as in 1,17", s)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
