// Ladder makes all kinds of calls, plain and traced, and prints what tracing them cost:
// the program that `make bench-peers` runs again and again. One rung of the ladder is
// one way of recording, and one run of the program:
//
//	ladder -rung off                                 compiled in, switched off
//	ladder -rung memory -memory                      to memory, from where nothing reads it
//	ladder -rung demoted -level 2                    the same of demoted functions: 1 without values, 2 long calls only
//	WAYMARK=record ladder -rung file -shape leaf     to a file
//	ladder -rung "under a root" -traces under        calls that are gathered in traces, of which none is kept
//	ladder -rung elsewhere -traces elsewhere         the same calls outside of traces
//	WAYMARK=record,waiting ladder -rung waiting      goroutines that park, and when they run
//	ladder -rung monitors                            monitors of groups
//	ladder -rung condition                           calls that an observer's condition rejects
//	ladder -rung timers                              timers, by hand and of groups
//	WAYMARK=seen ladder -rung seen -shape leaf       calls of functions whose first calls are noted
//	ladder -rung objects                             objects of the heap that are counted
//	WAYMARK=stats ladder -rung stats -shape leaf     statistics
//	WAYMARK=record ladder -sustained 60s             to a file, as many calls as all CPUs make
//	WAYMARK=record ladder -calls 5000000             to a file, so many calls, for readers
//
// It must be built by waymark with the functions of package traced instrumented:
//
//	waymark build --include ../traced,../grouped --all \
//		--args=...traced.Ints,...traced.Text,...traced.Struct,...traced.Pointer,...traced.Bytes -o ladder .
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/memory"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
	"github.com/waymark-go/waymark/internal/program/rt"
)

func main() {
	var t measure.Turns
	rung := flag.String("rung", "off", "what the results call this `way` of recording")
	toMemory := flag.Bool("memory", false, "record to memory; all else is up to the variable WAYMARK")
	level := flag.Int("level", 0, "record to memory what is left of functions at this `level`")
	gathered := flag.String("traces", "", "gather traces, and make the calls `under` a root call, or elsewhere")
	shape := flag.String("shape", "", "only this `shape` of calls")
	long := flag.Duration("sustained", 0, "make calls on all CPUs for so long, and nothing else")
	calls := flag.Int("calls", 0, "make so many calls, and do nothing else")
	flag.DurationVar(&t.Length, "turn", 40*time.Millisecond, "`length` of a turn")
	flag.IntVar(&t.Count, "turns", 5, "number of turns")
	flag.BoolVar(&t.Apart, "apart", false, "all plain turns before the traced ones")
	flag.Parse()
	var err error
	switch {
	case !rt.Enabled:
		err = errors.New("not built by waymark; see make bench-peers")
	case *long > 0:
		err = measure.Print(os.Stdout, sustained(*rung, *long))
	case *calls > 0:
		loop(func(i int) int { return traced.Leaf(i, factor) })(*calls)
		err = measure.Print(os.Stdout, measure.Result{Rung: *rung, Shape: "calls", Events: 2 * uint64(*calls)})
	case *rung == rungMonitors:
		err = monitors(t)
	case *rung == rungConditions:
		err = conditions(t)
	case *rung == rungTimers:
		err = timers(t)
	case *rung == rungObjects:
		err = objects(t)
	default:
		switch {
		case *level == 1:
			err = memory.RecordAs(rt.Recorded | rt.Unvalued)
		case *level == 2:
			err = memory.RecordAs(rt.Counted | rt.Long)
		case *toMemory:
			err = memory.Record()
		}
		if err == nil && *gathered != "" {
			err = traces()
		}
		if err == nil {
			err = climb(*rung, *shape, *gathered == "under", t)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ladder:", err)
		os.Exit(1)
	}
}

// climb measures the shape, or all of them. It may make the traced calls under root calls.
func climb(rung, shape string, roots bool, t measure.Turns) error {
	found := false
	for _, s := range shapes(rung) {
		if shape != "" && s.Name != shape {
			continue
		}
		found = true
		if roots {
			s.Traced = under(s)
		}
		if err := measure.Print(os.Stdout, t.Round(rung, s)); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("-shape %q: there is none of this name; see benchmarks/ladder/shapes.go", shape)
	}
	return nil
}
