package timing_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/timing"
)

// Two timers in a group, with a clock that the example moves. Programs need no clock of their own.
func Example() {
	var now time.Duration
	set := timing.NewSet(timing.Config{Clock: func() time.Duration { return now }}) // or timing.Default
	statistics := timing.NewStatistics()
	set.AddHandler(statistics)
	parse, _ := set.Timer("parse", "Makes a tree of a text.")
	check, _ := set.Timer("check", "Finds mistakes in a tree.")
	compile, _ := set.Group("compile", "Makes a program of a text.", parse, check)

	parse.Time(func() { now += time.Second }) // the timer is not enabled
	compile.Enable()
	for i := 1; i <= 3; i++ {
		parse.Time(func() { now += time.Duration(i) * time.Millisecond })
	}
	m := check.Enter() // what Exit takes may go to another goroutine
	now += 20 * time.Microsecond
	check.Exit(m)

	fmt.Print(statistics.Snapshot())
	// Output:
	//   Count      Total        Min       Mean      StdDev        50%        90%        99%      99.9%        Max  Timer
	//   -----  ---------  ---------  ---------  ----------  ---------  ---------  ---------  ---------  ---------  -----
	//       1  20.000 us  20.000 us  20.000 us        0 ns  20.000 us  20.000 us  20.000 us  20.000 us  20.000 us  check
	//       3   6.000 ms   1.000 ms   2.000 ms  816.497 us   2.015 ms   2.982 ms   2.982 ms   2.982 ms   3.000 ms  parse
}

// What happened between two snapshots.
func ExampleSnapshot_Since() {
	var now time.Duration
	set := timing.NewSet(timing.Config{Clock: func() time.Duration { return now }})
	statistics := timing.NewStatistics()
	set.AddHandler(statistics)
	request, _ := set.Timer("request", "")
	request.Enable()

	request.Time(func() { now += time.Second })
	before := statistics.Snapshot()
	request.Time(func() { now += 10 * time.Millisecond })
	request.Time(func() { now += 30 * time.Millisecond })

	row, _ := statistics.Snapshot().Since(before).Row("request")
	fmt.Println(row.Count, row.Total, row.Mean)
	// Output: 2 40ms 20ms
}

// Errors are told apart by errors.Is.
func ExampleError() {
	set := timing.NewSet(timing.Config{})
	set.Timer("request", "")
	_, err := set.Timer("request", "")
	fmt.Println(err)
	fmt.Println(errors.Is(err, timing.ErrDuplicate))
	// Output:
	// timer request: there is another timer or group of this name
	// true
}

// The events of a few timers, with a clock that the example moves.
func ExampleNewLog() {
	var now time.Duration
	set := timing.NewSet(timing.Config{Clock: func() time.Duration { return now }})
	log := timing.NewLog(nil, 100)
	set.AddHandler(log)
	request, _ := set.Timer("request", "")
	query, _ := set.Timer("query", "")
	request.Enable()
	query.Enable()

	request.Time(func() {
		now += 20 * time.Microsecond
		query.Time(func() { now += 1500 * time.Microsecond })
	})

	for _, e := range log.Entries() {
		fmt.Println(e)
	}
	// Output:
	//   0.000000 [0] > request
	//   0.000020 [0]   > query
	//   0.001520 [0]   < query 1.500 ms
	//   0.001520 [0] < request 1.520 ms
}
