package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/ending"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/stats"
)

// The latest numbers are written for the command each time the program has run twice as long, and
// not less often than every latestEvery. A kill costs the numbers since then.
const (
	latestFirst = 10 * time.Millisecond
	latestEvery = time.Second
)

// How long the end of the program waits for the last report.
const (
	writePatience = 2 * time.Second  // while it is written: perhaps nobody reads it
	lastPatience  = 30 * time.Second // while it is made
	lastLook      = 50 * time.Millisecond
)

// A reporter prints statistics, from time to time and when the program ends in any way.
type reporter struct {
	statistics
	sums    *stats.Gathering
	program string
	pid     int // a copy of the process (fork) must not report
	began   time.Time
	budget  *timeBudget // nil: there is none
	limit   string      // that of the budget

	mu     sync.Mutex
	ended  bool
	failed bool // reports can't be written

	writes atomic.Uint64 // beginnings and ends of writes: odd while something is written
}

// gatherStatistics begins to gather statistics of the functions that the settings name.
func gatherStatistics(o options) error {
	only, err := newSelection(o.Include, o.Exclude)
	if err != nil {
		return err
	}
	r := &reporter{statistics: o.Stats, program: executable(), pid: os.Getpid(), began: time.Now()}
	for _, path := range []*string{&r.Report.Path, &r.Latest} {
		if *path == "" {
			continue
		}
		if *path, err = expand(*path, r.program, r.pid); err != nil {
			return err
		}
		if *path, err = filepath.Abs(*path); err != nil { // the program may go elsewhere
			return err
		}
	}
	if err := r.Report.open(); err != nil {
		return fmt.Errorf("WAYMARK: report: %w", err)
	}
	if r.Latest, err = unused(r.Latest); err != nil {
		return err
	}
	options := stats.Options{CallsOnly: o.Stats.Count || o.Budget.CountsOnly(), Histograms: o.Stats.Histograms, Paths: o.Stats.Tree, Waiting: o.Waiting, Objects: o.Stats.Objects}
	if only != nil {
		options.Functions = func(f stats.Func) bool { return only.has(&f) }
	}
	if r.sums, err = host.Gather(options); err != nil {
		return err
	}
	if !o.Record { // else the recording has it, and its levels stay
		r.budget, r.limit = keepTimes(o), o.Budget.Text
	}
	atExit(func() { r.patiently(r.last) })
	host.BeforeExec(func() {
		if os.Getpid() == r.pid {
			r.patiently(r.exec)
		}
	})
	if runtime.GOARCH != "wasm" { // wasm has no threads to wait on
		ending.Claim()
		host.GoLast(r.run)
	}
	return nil
}

// unused returns a path without a file. There may be the numbers of another program, which this
// program has replaced in the process.
func unused(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	ext := filepath.Ext(path)
	for n, next := 2, path; ; n++ {
		if _, err := os.Lstat(next); err != nil {
			return next, nil
		}
		next = fmt.Sprintf("%s-%d%s", path[:len(path)-len(ext)], n, ext)
	}
}

// run reports from time to time, and when the program dies.
func (r *reporter) run() {
	every := r.Every
	latest, report := never, never // when they are due, since began
	if r.Latest != "" {
		latest = latestFirst
	}
	if every > 0 {
		report = every
	}
	look := never // when the budget is due
	if r.budget != nil {
		look = lookFirst
	}
	for {
		pause := int64(-1)
		if next := min(latest, report, look); next < never {
			pause = int64(max(next-time.Since(r.began), time.Millisecond))
		}
		if r.budget != nil {
			if next := r.budget.wait(); next < never {
				pause = int64(min(uint64(pause), uint64(max(next, time.Microsecond)))) // -1 is no end
			}
		}
		if host.Await(pause) {
			break
		}
		if r.budget != nil {
			r.budget.window()
		}
		now := time.Since(r.began)
		if now >= look {
			look = now + r.budget.step()
		}
		if now >= min(latest, report) {
			r.report(now >= report, false)
		}
		if now >= latest {
			latest = now + min(now, latestEvery)
		}
		if now >= report {
			report = now - now%every + every
		}
	}
	r.last()
	ending.Run()
	host.Said()
}

// patiently waits until f has reported, but not for ever.
func (r *reporter) patiently(f func()) {
	var seen uint64
	waited := time.Duration(0) // since something was begun or done
	wait := func() bool {
		now := r.writes.Load()
		if now != seen {
			seen, waited = now, 0
		}
		waited += lastLook
		if now%2 == 1 {
			return waited < writePatience
		}
		return waited < lastPatience
	}
	if host.Finish(f, int64(lastLook), wait) {
		return
	}
	// Perhaps nobody reads stderr: the line must not wait for ever, either.
	say := func() {
		console.Say("report: it was not written within %v, perhaps because it has no reader; the program ends without it",
			waited)
	}
	host.Finish(say, int64(lastLook), func() bool { return false })
}

// last prints the last report, with estimates until now.
func (r *reporter) last() {
	if r.budget != nil && os.Getpid() == r.pid {
		r.budget.sampling.Finish()
	}
	r.report(true, true)
}

// exec prints a report before another program takes this program's place in the process. If the
// exec fails, further reports follow.
func (r *reporter) exec() {
	r.report(true, true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = r.failed
}

// report writes the latest numbers, and prints them if it is time to.
func (r *reporter) report(print, last bool) {
	if os.Getpid() != r.pid {
		return // the lock may be held for ever in a copy
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.ended = last
	snap := r.sums.Snapshot()
	if r.Latest != "" {
		b := r.json(snap, last)
		r.write(func() error { return replaceFile(r.Latest, b) })
		if r.Every == 0 || last {
			return // the command prints the last one
		}
	}
	if !print {
		return
	}
	var b []byte
	if r.Report.JSON {
		b = r.json(snap, last)
	} else {
		b = r.text(snap)
	}
	r.write(func() error { return r.Report.write(b) })
}

// write calls f to write a report. If f fails there are no further reports.
func (r *reporter) write(f func() error) {
	r.writes.Add(1)
	defer r.writes.Add(1)
	if err := f(); err != nil {
		console.Say("report: %v; there are no further reports", err)
		r.ended, r.failed = true, true
	}
}

// json returns a report as a line.
func (r *reporter) json(snap *stats.Snapshot, last bool) []byte {
	b, err := json.Marshal(snap)
	if err != nil {
		return nil // can't happen: a snapshot has numbers, times and names only
	}
	var left *function.LeftOut
	if last {
		l := switchboard.Default.LeftOut()
		left = &l
	}
	cpu, tracing := r.budget.spent()
	head, _ := json.Marshal(struct {
		Program string `json:"program"`
		PID     int    `json:"pid"`
		Last    bool   `json:"last"`
		Budget  string `json:"budget,omitempty"`

		CPU        int64 `json:"cpu_ns,omitempty"`         // with a budget: of the process,
		CPUTracing int64 `json:"cpu_tracing_ns,omitempty"` // and of tracing

		LeftOut *function.LeftOut `json:"left_out,omitempty"`
	}{r.program, r.pid, last, r.limit, cpu, tracing, left})
	return append(append(append(head[:len(head)-1], ','), b[1:]...), '\n')
}

// text returns a report for people.
func (r *reporter) text(snap *stats.Snapshot) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[waymark+] *** performance report: %s, process %d, after %s ***\n\n",
		filepath.Base(r.program), r.pid, units.Duration(snap.To.Sub(snap.From)))
	stats.Text{Snapshot: snap, Top: r.Top, FullNames: r.FullNames}.WriteTo(&b)
	fmt.Fprintf(&b, "\n[waymark-] *** end of performance report ***\n")
	return b.Bytes()
}
