package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// waymarkPeer measures all shapes of calls on each rung. Off, memory, monitors, conditions and
// timers run in one process each. Statistics has a process for each shape. So has the rung to a
// file, so that each shape has its own bytes and losses.
func waymarkPeer() peer {
	return peer{
		name: waymarkName,
		absent: func(b *bench) string {
			if why := missing("make", b.waymark); why != "" {
				return why
			}
			return missing("make bench-peers", b.ladder)
		},
		round: func(b *bench) ([]measure.Result, error) {
			var list []measure.Result
			for _, args := range [][]string{{"-rung", rungOff}, {"-rung", rungMemory, "-memory"}, {"-rung", rungMonitors}, {"-rung", rungConditions}, {"-rung", rungTimers}} {
				results, _, err := b.run(nil, b.ladder, b.ladderArgs(args...)...)
				if err != nil {
					return nil, err
				}
				list = append(list, results...)
			}
			for _, shape := range list {
				if shape.Rung != rungMemory {
					continue
				}
				r, err := b.toFile(rungFile, "block", "-shape", shape.Shape)
				if err != nil {
					return nil, err
				}
				list = append(list, r)
			}
			counted, err := b.statistics()
			if err != nil {
				return nil, err
			}
			list = append(list, counted...)
			traces, err := b.traces()
			if err != nil {
				return nil, err
			}
			list = append(list, traces...)
			seen, err := b.seen()
			if err != nil {
				return nil, err
			}
			list = append(list, seen...)
			ring, err := b.toFile(rungRing, "ring", "-shape", "leaf")
			if err != nil {
				return nil, err
			}
			long, err := b.toFile(rungFile, "block", "-sustained", b.sustained.String())
			if err != nil {
				return nil, err
			}
			return append(list, ring, long), nil
		},
	}
}

const (
	waymarkName  = "waymark"
	rungOff      = "off"
	rungMemory   = "to memory"
	rungFile     = "to file"
	rungRing     = "flight recorder"
	rungMonitors = "monitors"
	rungTimers   = "timers"

	rungConditions = "condition" // calls that an observer's condition rejects

	rungSeen = "first calls noted"

	// Statistics.
	rungCount     = "count only"
	rungStats     = "calls, total and self time"
	rungHistogram = "with histogram"
	rungPaths     = "with paths"

	// Traces.
	rungUnder     = "gathered, under a root"
	rungElsewhere = "gathered, elsewhere"

	// sustained is the shape of nothing but traced calls on all CPUs.
	sustained = "sustained"
)

func (b *bench) ladderArgs(args ...string) []string {
	return append(args, "-turn", b.turns.Length.String(), "-turns", strconv.Itoa(b.turns.Count))
}

// statistics runs the ladder for the shapes that statistics are measured with.
func (b *bench) statistics() (list []measure.Result, err error) {
	for _, rung := range []struct{ name, setting string }{{rungCount, "count"}, {rungStats, "stats"}, {rungHistogram, "histogram"}, {rungPaths, "tree"}} {
		for _, shape := range []string{"leaf", "recursion 10", "100 ns", "two ints", "2 goroutines", "10000 goroutines", "panic, recovered"} {
			results, _, err := b.run([]string{"WAYMARK=" + rung.setting + ",report=text:" + os.DevNull}, b.ladder,
				b.ladderArgs("-rung", rung.name, "-shape", shape)...)
			if err != nil {
				return nil, err
			}
			list = append(list, results...)
		}
	}
	return list, nil
}

// seen runs the ladder while first calls are noted: all but these are to cost what they cost off.
func (b *bench) seen() (list []measure.Result, err error) {
	file := filepath.Join(b.dir, "bench.seen")
	defer os.Remove(file)
	for _, shape := range []string{"leaf", "recursion 10"} {
		results, _, err := b.run([]string{"WAYMARK=seen=" + file}, b.ladder, b.ladderArgs("-rung", rungSeen, "-shape", shape)...)
		if err != nil {
			return nil, err
		}
		list = append(list, results...)
	}
	return list, nil
}

// traces runs the ladder for the shapes that gathering traces is measured with.
func (b *bench) traces() (list []measure.Result, err error) {
	for _, rung := range []struct{ name, where string }{{rungUnder, "under"}, {rungElsewhere, "elsewhere"}} {
		for _, shape := range []string{"leaf", "recursion 10", "100 ns", "two ints", "2 goroutines", "panic, recovered"} {
			results, _, err := b.run(nil, b.ladder, b.ladderArgs("-rung", rung.name, "-traces", rung.where, "-shape", shape)...)
			if err != nil {
				return nil, err
			}
			list = append(list, results...)
		}
	}
	return list, nil
}

// toFile runs the ladder recording to a file, and adds what is in that.
func (b *bench) toFile(rung, overflow string, args ...string) (measure.Result, error) {
	trace := filepath.Join(b.dir, "bench.wmt")
	defer os.Remove(trace)
	// What fits into the buffers is recorded at the speed of memory: the turns are long
	// enough to fill them several times.
	long := *b
	long.turns.Count *= 2
	long.turns.Length *= 2
	args = append([]string{"-rung", rung, "-apart"}, args...)
	results, took, err := b.run([]string{"WAYMARK=record,overflow=" + overflow + ",o=" + trace}, b.ladder, long.ladderArgs(args...)...)
	if err != nil {
		return measure.Result{}, err
	}
	r := results[0]
	if overflow == "ring" {
		return r, nil
	}
	err = b.info(trace, took, &r)
	return r, err
}

// info adds to r what is in the recording.
func (b *bench) info(trace string, took time.Duration, r *measure.Result) error {
	out, _, err := b.command(nil, b.waymark, "info", "--format", "json", trace)
	if err != nil {
		return err
	}
	var info struct{ Events, Dropped, Bytes uint64 }
	if err := json.Unmarshal(out, &info); err != nil {
		return fmt.Errorf("waymark info: %w", err)
	}
	// The file's events have starts and ends of goroutines and panics besides.
	if r.Lost = lost(r.Events, info.Events); info.Dropped > *r.Lost {
		r.Lost = &info.Dropped
	}
	r.Bytes = info.Bytes
	if r.Shape == sustained { // the others make plain calls, too
		r.PerSecond = perSecond(r.Events, took)
	}
	return nil
}
