package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// A Result is what became of a suite.
type Result struct {
	Suite   Suite
	Go      string // go1.26.8
	Race    bool
	Default bool   `json:",omitempty"` // as waymark test --trace traces by default
	Trouble string // why there is nothing else

	Packages, Tests, Failed int     // Failed are tests that fail plain, too
	BuildPlain, RunPlain    float64 // s
	Build, Run              float64 // s, traced
	WallPlain, Wall         float64 // s, of the commands that ran the tests

	// Ratios are the run times traced over plain, of each time that the suite ran.
	Ratios []float64 `json:",omitempty"`

	Recordings  *Recordings
	Differences []*Difference
}

// A Difference is a test that had another outcome when it was traced.
type Difference struct {
	Test
	Plain, Traced []Outcome // of all runs
	Kind          Kind
	Slow          float64 // how many times slower it ran plain, when it failed so
	Output        string  // when it was traced

	slower float64 // how many times slower it ran traced
	took   float64 // plain, seconds, the most
}

// A Kind says what is known about a difference.
type Kind string

const (
	Unsteady  Kind = "unsteady"   // every outcome it had traced it had plain, too
	TimeBound Kind = "time-bound" // plain it fails, too, if slowed down
	Differs   Kind = "different"
)

// count returns the number of differences of a kind.
func (r *Result) count(k Kind) (n int) {
	for _, d := range r.Differences {
		if d.Kind == k {
			n++
		}
	}
	return n
}

// recorded reports whether the recordings have events and nothing is wrong with them. Those that
// aren't kept have taken room on the disk.
func (r *Result) recorded() bool {
	rec := r.Recordings
	if r.Default {
		return rec != nil && rec.Disk > 0 && len(rec.Said) == 0
	}
	return rec != nil && rec.Events > 0 && rec.Dropped == 0 && len(rec.Problems) == 0 && len(rec.Said) == 0
}

// file names the file of a result in a folder of them.
func (r *Result) file(dir string) string {
	name := strings.ReplaceAll(r.Suite.Path(), "/", "_") + "." + r.Go
	if r.Race {
		name += ".race"
	}
	if r.Default {
		name += ".default"
	}
	return filepath.Join(dir, name+".json")
}

func (r *Result) write(dir string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(r.file(dir), data, 0o666)
}

// readResults reads all results in a folder.
func readResults(dir string) ([]*Result, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var list []*Result
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r := new(Result)
		if err := json.Unmarshal(data, r); err != nil {
			return nil, &os.PathError{Op: "read", Path: name, Err: err}
		}
		list = append(list, r)
	}
	return list, nil
}
