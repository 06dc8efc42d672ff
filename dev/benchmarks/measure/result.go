package measure

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// A Result is what one process measured of one rung and shape of calls. Times are
// ns per call, enter and exit together, medians over the process's turns.
type Result struct {
	Rung   string  // what records, and to where
	Shape  string  // what is called
	Floor  float64 // two reads of the time stamp counter
	Plain  float64 // a call that isn't traced
	Traced float64 // a traced one
	Over   float64 // what tracing adds
	// Allocations per traced call beyond those of a plain one; nil if nothing tells.
	Allocs *float64 `json:",omitempty"`

	Events    uint64  // enters and exits of all the traced calls made
	Lost      *uint64 `json:",omitempty"` // those that aren't in the recording; nil if unknown
	Bytes     uint64  `json:",omitempty"` // size of the recording
	PerSecond float64 `json:",omitempty"` // events per second, from the program's start to its end
	Memory    uint64  `json:",omitempty"` // bytes, the most that a reader had
}

// Print writes results as Read reads them.
func Print(w io.Writer, results ...Result) error {
	e := json.NewEncoder(w)
	for _, r := range results {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the results among a program's output: the lines that begin with a brace.
// There must be one.
func Read(r io.Reader) ([]Result, error) {
	var list []Result
	s := bufio.NewScanner(r)
	for s.Scan() {
		if len(s.Bytes()) == 0 || s.Bytes()[0] != '{' {
			continue
		}
		var r Result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("result %q: %w", s.Text(), err)
		}
		list = append(list, r)
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no result: want lines of JSON that begin with a brace")
	}
	return list, nil
}

// Median returns the median of list. Of an even number of values it is the greater of the
// two in the middle: a value that was measured.
func Median(list []float64) float64 { return Percentile(list, 50) }

// Percentile returns the value below which p of a hundred values lie; 0 of an empty list.
func Percentile(list []float64, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return s[min(len(s)*p/100, len(s)-1)]
}

// Rotate returns list beginning with another element each round.
func Rotate[T any](list []T, round int) []T {
	n := round % len(list)
	return append(append([]T(nil), list[n:]...), list[:n]...)
}
