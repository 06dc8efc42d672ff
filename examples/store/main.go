// Store is the benchmark of an article about an agent for Java that counts calls. It fills millions
// of rows of a few bits each through setters, and searches them through getters. Nearly all of its
// time goes into functions that do nearly nothing: nothing is harder on a tracer.
//
//	go run . -rows 10000000
//	waymark run --all . -rows 10000000
//
// The number of rows determines the number of calls of each function.
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

// wealthy returns a finder of men of 18 to 25 years and 190 cm or more, with 9,990 or more.
func wealthy() *Finder {
	f := new(Finder)
	f.Where((*Row).Gender, func(v int) bool { return v == male })
	f.Where((*Row).Age, func(v int) bool { return v >= 18 && v <= 25 })
	f.Where((*Row).Height, func(v int) bool { return v >= 190 })
	f.Where((*Row).Amount, func(v int) bool { return v >= 9990 })
	return f
}
