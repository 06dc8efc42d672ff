package tracefile_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// The calls of a recording, indented by depth, with the time of their beginnings.
func Example() {
	trace := recording()
	f, err := tracefile.NewFile(bytes.NewReader(trace), int64(len(trace))) // or Open
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	depth := make(map[uint64]int) // of each goroutine
	var ev tracefile.Event
	events := f.Events()
	for events.Next(&ev) {
		switch ev.Kind {
		case tracefile.Enter:
			fn, _ := f.Func(ev.Site)
			fmt.Printf("%3d ns  goroutine %d  %*s%s\n", f.Nanos(ev.Clock), ev.Goroutine, 2*depth[ev.Goroutine], "", fn.Name)
			depth[ev.Goroutine]++
		case tracefile.Exit:
			depth[ev.Goroutine]--
		}
	}
	if err := events.Err(); err != nil {
		log.Fatal(err)
	}
	info := f.Info()
	fmt.Println(info.Events, "events, complete:", info.Complete)

	// Output:
	//  10 ns  goroutine 1  main.main
	//  25 ns  goroutine 1    main.load
	//  30 ns  goroutine 7  main.serve
	//  60 ns  goroutine 1    main.load
	// 8 events, complete: true
}

// recording makes a trace file in memory.
func recording() []byte {
	b := format.AppendHeader(nil)
	b = format.AppendBlock(b, format.BlockClock, format.AppendClock(nil, format.ClockPair{Clock: 1000, MonoNano: 0}))
	table := format.AppendTable(nil, "main", []format.Site{
		{Name: "main.main", File: "main.go", Line: 3}, {Name: "main.load", File: "main.go", Line: 9}, {Name: "main.serve", File: "main.go", Line: 20},
	})
	b = format.AppendBlock(b, format.BlockSites, format.AppendSites(nil, 1, string(table)))
	enter := func(clock, site, token uint64) format.Record {
		return format.Record{Clock: clock, Word: site<<format.SiteShift | token}
	}
	exit := func(clock, site, token uint64) format.Record {
		return format.Record{Clock: clock, Word: format.ExitBit | site<<format.SiteShift | token}
	}
	var enc format.Encoder
	for i, recs := range [][]format.Record{
		{enter(1020, 1, 100), enter(1050, 2, 180), exit(1100, 2, 180), enter(1120, 2, 180), exit(1150, 2, 180), exit(1160, 1, 100)},
		{enter(1060, 3, 100), exit(1090, 3, 100)},
	} {
		payload, _ := enc.Append(nil, format.Chunk{Stream: uint32(i), Seq: uint64(1 + i), Clock: 1000, Goroutine: uint64(1 + 6*i)}, recs)
		b = format.AppendBlock(b, format.BlockEvents, payload)
	}
	b = format.AppendBlock(b, format.BlockClock, format.AppendClock(nil, format.ClockPair{Clock: 1200, MonoNano: 100}))
	return format.AppendBlock(b, format.BlockEnd, format.AppendTrailer(nil, format.Trailer{Clock: 1200, Events: 8}))
}

// Events of several files in the order of time: parts of one process's recording, and processes.
func ExampleJoin() {
	trace := recording()
	f, err := tracefile.NewFile(bytes.NewReader(trace), int64(len(trace)))
	if err != nil {
		log.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		log.Fatal(err)
	}
	var ev tracefile.Event
	events := set.Events()
	for n := 0; n < 2 && events.Next(&ev); n++ {
		p := set.Processes[events.Process()]
		fn, _ := p.Func(ev.Site)
		fmt.Println(events.Nanos(), ev.Kind, fn.Name)
	}
	// Output:
	// 10 enter main.main
	// 25 enter main.load
}
