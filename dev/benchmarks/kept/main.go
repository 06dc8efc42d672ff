// Kept makes a million requests, twenty of which are slow, and gathers their traces: exactly these
// are to be kept, in memory that doesn't grow. See `make bench-traces`.
package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/trace"
)

const (
	slow   = 20
	steps  = 30 // calls of a request
	points = 200
)

func main() {
	n := flag.Int("n", 1_000_000, "`number` of requests")
	gather := flag.Bool("traces", false, "gather traces, and keep the slowest ones")
	name := flag.String("name", "", "of the run, in the rows that it writes")
	out := flag.String("o", "", "append rows to this CSV `file`: name, requests, resident bytes, ns of CPU time")
	flag.Parse()
	if err := run(*n, *gather, *name, *out); err != nil {
		fmt.Fprintln(os.Stderr, "kept:", err)
		os.Exit(1)
	}
}

func run(n int, gather bool, name, out string) error {
	var c *trace.Collector
	if gather {
		var err error
		if c, err = trace.Start(waymark.Pattern("main.request"), trace.Options{Slowest: slow}); err != nil {
			return err
		}
	}
	var rows [][]string
	var memory []int
	began := cputime.Process()
	for i := range n {
		request(i, i%(n/slow) == n/slow/2)
		if (i+1)%(n/points) == 0 {
			memory = append(memory, resident())
			rows = append(rows, []string{name, strconv.Itoa(i + 1), strconv.Itoa(memory[len(memory)-1]), strconv.FormatInt(cputime.Process()-began, 10)})
		}
	}
	if err := write(out, rows); err != nil || c == nil {
		return err
	}
	if err := c.Stop(); err != nil {
		return err
	}
	return check(c, n, memory)
}

// check looks whether exactly the slow requests were kept, and whether the memory stayed the same.
func check(c *trace.Collector, n int, memory []int) error {
	var errs []error
	list, counts := c.Traces(), c.Counts()
	for _, t := range list {
		if !slices.ContainsFunc(t.Actions(), func(a trace.Action) bool { return a.Func.Name == "main.wait" }) {
			errs = append(errs, fmt.Errorf("a request of %v is kept, which was not to be slow", t.Duration))
		}
	}
	if len(list) != slow || counts.Ended != uint64(n) || counts.Dropped+counts.LostCalls > 0 {
		errs = append(errs, fmt.Errorf("%d traces are kept, want %d: %+v", len(list), slow, counts))
	}
	const most = 4 << 20
	if grown := slices.Max(memory) - memory[points/10]; grown > most {
		errs = append(errs, fmt.Errorf("the memory grew by %d bytes after the first tenth", grown))
	}
	return errors.Join(errs...)
}

func write(path string, rows [][]string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}

// resident returns how much memory the process has, in bytes; 0 where the system has no /proc.
func resident() int {
	b, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize()
}

//go:noinline
func request(n int, slow bool) {
	for i := range steps {
		step(n + i)
	}
	if slow {
		wait()
	}
}

//go:noinline
func wait() { time.Sleep(200 * time.Millisecond) }

//lint:ignore U1000 Written only, so that what step computes is needed.
var sum uint64

// step computes for some 50 ns.
//
//go:noinline
func step(n int) {
	x := uint64(n)
	for range 40 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sum += x
}
