// Store is the benchmark with which the idea of an agent that counts calls was published for Java:
// millions of rows of a few bits each, filled through setters and searched through getters, so that
// nearly all of its time goes into functions that do nearly nothing. It is the worst that can
// happen to a tracer.
//
//	go run . -rows 10000000
//	waymark run --all . -rows 10000000
//
// All functions are called as often as can be told beforehand, see calls.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	rows := flag.Int("rows", 10_000_000, "rows in the store")
	flag.Parse()
	if *rows < 0 {
		fmt.Fprintln(os.Stderr, "store: -rows must be 0 or more")
		os.Exit(2)
	}
	start := time.Now()
	s := NewStore(*rows)
	filled := time.Since(start)
	start = time.Now()
	matched := s.Find(wealthy())
	found := time.Since(start)
	fmt.Printf("%d rows, of which %d match\n", *rows, matched)
	fmt.Printf("filled in %v, searched in %v\n", filled.Round(time.Microsecond), found.Round(time.Microsecond))
}

// wealthy finds men of 18 to 25 years and 190 cm or more who have 9,990 or more.
func wealthy() *Finder {
	f := new(Finder)
	f.Where((*Row).Gender, func(v int) bool { return v == male })
	f.Where((*Row).Age, func(v int) bool { return v >= 18 && v <= 25 })
	f.Where((*Row).Height, func(v int) bool { return v >= 190 })
	f.Where((*Row).Amount, func(v int) bool { return v >= 9990 })
	return f
}
