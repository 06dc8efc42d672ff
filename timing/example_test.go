package timing_test

import (
	"fmt"
	"time"

	"github.com/waymark-go/waymark/timing"
)

func Example() {
	set := timing.NewSet(timing.Config{})
	statistics := timing.NewStatistics()
	set.AddHandler(statistics)
	parse, _ := set.Timer("parse", "Makes a tree of a text.")
	check, _ := set.Timer("check", "Finds mistakes in a tree.")
	all, _ := set.Group("compile", "Makes a program of a text.", parse, check)

	parse.Time(func() {}) // not yet
	all.Enable()
	for i := 0; i < 3; i++ {
		parse.Time(func() { time.Sleep(2 * time.Millisecond) })
	}
	check.Enter()
	check.Exit()

	for _, r := range statistics.Snapshot().Timers {
		fmt.Println(r.Name, r.Count, r.Min >= 2*time.Millisecond, r.P50 <= r.Max)
	}
	// Output:
	// check 1 false true
	// parse 3 true true
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
