package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// WriteInfo prints the facts about a recording. info comes from the file's
// Verify, which alone knows the goroutines and all damage; path is the file's name.
func WriteInfo(w io.Writer, file *tracefile.File, info tracefile.Info, path string, f Format) error {
	switch f {
	case JSON:
		return writeJSON(w, newJSONInfo(file, info))
	case CSV:
		return errors.New("info is no table: use --format text or json")
	}
	var b strings.Builder
	for _, fact := range facts(info, path) {
		fmt.Fprintf(&b, "%-12s%s\n", fact.name, fact.value)
	}
	writeDemotions(&b, file)
	_, err := io.WriteString(w, b.String())
	return err
}

type jsonInfo struct {
	Version    int    `json:"version"`
	Program    string `json:"program"`
	Go         string `json:"go"`
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	Host       string `json:"host"`
	CPUs       int    `json:"cpus"`
	PID        int    `json:"pid"`
	Clock      string `json:"clock"`
	Start      int64  `json:"start_unix_ns"`
	Duration   int64  `json:"duration_ns"`
	From       int64  `json:"from_ns,omitempty"` // from when on the file holds all events
	Part       *int   `json:"part,omitempty"`
	Sites      int    `json:"sites"`
	Goroutines uint64 `json:"goroutines"`
	Events     uint64 `json:"events"`
	Dropped    uint64 `json:"dropped"`
	Damaged    int64  `json:"damaged"`
	Complete   bool   `json:"complete"`
	Stopped    string `json:"stopped,omitempty"` // "max-size" or "failure" if it ended early
	Live       bool   `json:"live"`
	Recovered  uint64 `json:"recovered_events"`
	Bytes      int64  `json:"bytes"`

	Budget     string         `json:"budget,omitempty"` // as the user wrote it
	CPU        int64          `json:"cpu_ns,omitempty"` // of the process
	CPUTracing int64          `json:"cpu_tracing_ns,omitempty"`
	Counted    uint64         `json:"counted_calls,omitempty"` // calls that were only counted
	Demotions  []jsonDemotion `json:"demotions,omitempty"`
}

// A jsonDemotion is a change of what is recorded of a function.
type jsonDemotion struct {
	At    int64  `json:"at_ns"` // since the start
	Name  string `json:"name"`
	Level string `json:"level"` // full, without values, counted, counted only
	Calls uint64 `json:"calls"` // that were counted until the function's next change
}

func newJSONInfo(file *tracefile.File, i tracefile.Info) jsonInfo {
	j := jsonInfo{
		Version: i.Version, Program: i.Program, Go: i.Go, GOOS: i.GOOS, GOARCH: i.GOARCH, Host: i.Host, CPUs: i.CPUs, PID: i.PID,
		Clock: i.Clock, Duration: int64(i.Duration), From: int64(i.From), Sites: i.Funcs,
		Goroutines: i.Goroutines, Events: i.Events, Dropped: i.Lost, Damaged: i.Damaged,
		Complete: i.Complete, Stopped: i.Stopped.String(), Live: i.Live, Recovered: i.Recovered, Bytes: i.Size,
	}
	if !i.Start.IsZero() {
		j.Start = i.Start.UnixNano()
	}
	if i.Rotated {
		j.Part = &i.Part
	}
	j.Budget, j.CPU, j.CPUTracing, j.Counted = i.Budget, int64(i.CPU), int64(i.CPUTracing), i.Counted
	for _, d := range file.Demotions() {
		j.Demotions = append(j.Demotions, jsonDemotion{file.Nanos(d.Clock), nameOf(file, d.Func), d.Level.String(), d.Calls})
	}
	return j
}

type fact struct{ name, value string }

func facts(i tracefile.Info, path string) []fact {
	list := []fact{
		{"Program", i.Program},
		{"Process", fmt.Sprint(i.PID)},
		{"Go", fmt.Sprintf("%s %s/%s", i.Go, i.GOOS, i.GOARCH)},
		{"Host", fmt.Sprintf("%s, %s", i.Host, units.Things(uint64(i.CPUs), "CPU"))},
	}
	if !i.Start.IsZero() {
		list = append(list, fact{"Started", i.Start.UTC().Format(time.RFC3339Nano)})
	}
	clock := i.Clock
	if i.Hz > 0 {
		clock += ", " + frequency(i.Hz)
	}
	events := units.Count(i.Events)
	if i.Events > 0 {
		events += fmt.Sprintf(", %.1f bytes each", float64(i.Size)/float64(i.Events))
	}
	state := recording.Completeness(i)
	if state == "" {
		state = "complete"
	}
	list = append(list,
		fact{"Duration", units.Duration(int64(i.Duration))},
		fact{"Clock", clock},
		fact{"Functions", units.Count(uint64(i.Funcs))},
		fact{"Goroutines", units.Count(i.Goroutines) + " started"},
		fact{"Events", events},
		fact{"Lost", units.Count(i.Lost)},
	)
	if i.GivenBack > 0 {
		list = append(list, fact{"Given back", units.Things(i.GivenBack, "event") + " of tests that passed, or of the middle of long ones"})
	}
	list = append(list,
		fact{"State", state},
		fact{"File", fmt.Sprintf("%s, %s in %s, format version %d", filepath.Base(path), units.Bytes(i.Size), units.Things(uint64(i.Blocks), "block"), i.Version)},
	)
	if text := recording.Beginning(i); text != "" {
		list = append(list, fact{"Begins", text})
	}
	if i.Budget != "" {
		list = append(list, fact{"Budget", i.Budget})
	}
	if i.CPU > 0 {
		text := fmt.Sprintf("nearly all of %s of CPU time", units.Duration(int64(i.CPU)))
		if own := i.CPU - i.CPUTracing; own > 0 {
			text = fmt.Sprintf("%s added to the program's own %s of CPU time, %.1f %%", units.Duration(int64(i.CPUTracing)), units.Duration(int64(own)), 100*recording.Added(i.CPU, i.CPUTracing))
		}
		list = append(list, fact{"Tracing", text})
	}
	if i.Demoted > 0 {
		text := fmt.Sprintf("%s, %s counted", units.Things(uint64(i.Demoted), "function"), units.Things(i.Counted, "call"))
		if !i.Complete {
			text += " until " + units.Duration(int64(i.CountedUntil))
		}
		list = append(list, fact{"Demoted", text})
	}
	if i.Damaged > 0 {
		list = append(list, fact{"Damaged", units.Bytes(i.Damaged)})
	}
	return list
}

// mostDemotions is how many changes of levels are printed.
const mostDemotions = 50

// writeDemotions prints when what is recorded of functions changed.
func writeDemotions(w io.Writer, file *tracefile.File) {
	list := file.Demotions()
	for i, d := range list {
		if i == mostDemotions {
			fmt.Fprintf(w, "%12s... and %s more; --format json has all\n", "", units.Things(uint64(len(list)-i), "change"))
			break
		}
		calls := ""
		if d.Calls > 0 {
			calls = ", " + units.Things(d.Calls, "call")
			if d.Level == tracefile.Sampled {
				calls = ", ≈" + calls[2:]
			}
		}
		fmt.Fprintf(w, "%12s%s  %s: %v%s\n", "", units.Duration(file.Nanos(d.Clock)), nameOf(file, d.Func), d.Level, calls)
	}
}

// nameOf returns the name of a function.
func nameOf(file *tracefile.File, id uint32) string {
	if fn, ok := file.Func(id); ok {
		return fn.Name
	}
	return fmt.Sprintf("unknown function %d", id)
}

// frequency prints a clock's rate: counters of arm64 may be as slow as a few MHz.
func frequency(hz uint64) string {
	if hz < 1e9 {
		return fmt.Sprintf("%.3f MHz", float64(hz)/1e6)
	}
	return fmt.Sprintf("%.3f GHz", float64(hz)/1e9)
}
