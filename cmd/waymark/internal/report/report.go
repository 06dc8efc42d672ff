package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/internal/table"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say what a report shows. The zero value is all functions by total time.
type Options struct {
	By     By
	Sort   Sort
	Top    int // rows to print; 0 is all
	Filter Filter
	Tree   bool // for WriteTree

	// Of text.
	Style     table.Style
	FullNames bool // of functions

	// Progress, if not nil, is told now and then how many of a file's events have been read.
	Progress func(read, all uint64)
}

// A Report adds up the calls of the processes of a program.
type Report struct {
	Options
	Recordings []Recording // of the processes

	rows  []*Row
	index map[identity]uint32 // in rows
	names *names.Set          // of all functions of the recordings, called or not
	tree  forest              // with Options.Tree: the account, without regard to what is shown
	shown *view               // of it

	damage []error   // one for each damaged file
	began  time.Time // the first process, of statistics
}

// A Recording tells where the numbers come from, and what they lack.
type Recording struct {
	Files   []string       // absolute; several if it is in parts
	Process string         // see Labels
	Info    tracefile.Info // after reading, so with the damage that was met

	Statistics bool // nothing was recorded, and there are no files
	Killed     bool // they are from before the end of the program

	// Of what the filter has read and accounted for.
	Span       span  // since the beginning of the first recording
	Duration   int64 // ns
	Events     uint64
	Calls      uint64
	Goroutines uint64
	Open       uint64 // calls that had not ended; only those that are shown
	Past       bool   // because the window ended before the recording did
	Problems   calltree.Problems
}

// New returns an empty report.
func New(o Options) *Report {
	r := &Report{Options: o, index: make(map[identity]uint32)}
	if !o.FullNames {
		r.names = names.NewSet()
	}
	return r
}

// Read adds the recordings of a set. On an error, what could be read has been
// added. Damage is no error here, see Damage.
func (r *Report) Read(set *tracefile.Set) error {
	if err := r.Filter.Check(set); err != nil {
		return err
	}
	labels := Labels(set)
	p := &progress{tell: r.Progress}
	for _, file := range set.Processes {
		p.all += file.Info().Events
	}
	var errs []error
	AddNames(r.names, set.Processes...)
	for i, file := range set.Processes {
		if err := r.add(file, set.Since(file), labels[i], p); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file.Path(), err))
		}
	}
	return errors.Join(errs...)
}

// add adds the recording of a process that began at a time since the beginning of the first one.
func (r *Report) add(file *tracefile.File, since time.Duration, label string, p *progress) error {
	var errs []error
	scale := ScaleOf(file)
	o := r.Filter.options(file, label, since, scale)
	o.Goroutines = r.By == ByGoroutine
	o.Tree = r.Tree || r.Filter.Depth > 0
	var result *calltree.Result // of the first reading; the others count the same calls in other rows
	countings := r.countings(file)
	p.all += uint64(len(countings)-1) * file.Info().Events
	for _, rowOf := range countings {
		o.Key = rowOf
		one, err := calltree.ReadFile(file, o, EndOf(file), runtime.GOMAXPROCS(0), p.add)
		for i := range one.Rows {
			if row := &one.Rows[i]; rowOf != nil && row.Key < hidden {
				r.rows[row.Key].add(row, scale)
			}
		}
		if rowOf != nil && r.Filter.Depth > 0 {
			r.markShallow(one.Tree)
		}
		if result == nil {
			result = one
		}
		if err != nil {
			errs = append(errs, err)
			break
		}
	}

	rec := r.Filter.recording(file, label, since, result)
	for i, part := range file.Parts() {
		if n := part.Info().Damaged; n > 0 {
			r.damage = append(r.damage, fmt.Errorf("%s: %w: %s could not be read, the report is of the rest", rec.Files[i], format.ErrDamaged, units.Bytes(n)))
		}
	}
	goroutines := result.Goroutines
	if r.By == ByGoroutine && r.Filter.Show != nil {
		var err error
		if goroutines, err = r.calling(file, o, goroutines); err != nil {
			errs = append(errs, err)
		}
	}
	for i := range goroutines {
		row := goroutineRow(file, &goroutines[i], scale)
		row.Goroutine.Process, row.Goroutine.PID = label, rec.Info.PID
		row.Goroutine.Start += int64(since)
		row.Goroutine.End += int64(since)
		r.rows = append(r.rows, row)
	}
	if r.Tree {
		r.addTree(result.Tree, scale)
	}
	r.Recordings = append(r.Recordings, rec)
	return errors.Join(errs...)
}

// rowOf gives the index of the row with this identity.
func (r *Report) rowOf(id identity) uint32 {
	i, ok := r.index[id]
	if !ok {
		i = uint32(len(r.rows))
		r.index[id] = i
		r.rows = append(r.rows, &Row{identity: id})
	}
	return i
}

// recording tells what a result is made of.
func (f *Filter) recording(file *tracefile.File, label string, since time.Duration, result *calltree.Result) Recording {
	rec := Recording{
		Process: label, Info: file.Info(),
		Events: result.Events, Calls: result.Calls, Goroutines: result.Seen, Past: result.Past, Problems: result.Problems,
	}
	for _, part := range file.Parts() {
		path := part.Path()
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		rec.Files = append(rec.Files, path)
	}
	rec.Span = span{max(since, f.From), since + rec.Info.Duration}
	if f.To > 0 {
		rec.Span.to = min(rec.Span.to, f.To)
	}
	rec.Duration = int64(max(rec.Span.to-rec.Span.from, 0))
	for i := range result.Rows {
		if row := &result.Rows[i]; row.Key != hidden {
			rec.Open += row.Open
		}
	}
	return rec
}

// markShallow marks the rows that have calls with few enough callers for the filter.
func (r *Report) markShallow(tree []calltree.Node) {
	callers := make([]int32, len(tree))
	for i := range tree {
		n := &tree[i]
		if n.Caller != calltree.NoCaller {
			callers[i] = callers[n.Caller] + 1
		}
		if n.Key < hidden && int(callers[i]) < r.Filter.Depth {
			r.rows[n.Key].shallow = true
		}
	}
}

// calling gives those of a file's goroutines that call functions which the filter shows. It reads
// the file once more.
func (r *Report) calling(file *tracefile.File, o calltree.Options, all []calltree.Goroutine) ([]calltree.Goroutine, error) {
	show := ofSites(file, r.Filter.Show)
	account := o.Keep
	o.Keep = func(site uint32) bool { return (account == nil || account(site)) && show(site) }
	o.Tree = false
	only, err := calltree.ReadFile(file, o, EndOf(file), runtime.GOMAXPROCS(0), nil)
	calling := make(map[uint64]bool)
	for i := range only.Goroutines {
		if g := &only.Goroutines[i]; g.Calls > 0 {
			calling[g.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(g calltree.Goroutine) bool { return !calling[g.ID] }), err
}

// shows tells whether the filter shows a row, unless its total is below min.
func (r *Report) shows(row *Row, min time.Duration) bool {
	if row.Total < int64(min) {
		return false
	}
	return r.By == ByGoroutine || row.Calls > 0 && (r.Filter.Depth == 0 || row.shallow)
}

// Rows gives the rows with calls that the filter shows, sorted, and how many Options.Top leaves
// out.
func (r *Report) Rows() (rows []*Row, more int) {
	for _, row := range r.rows {
		if r.shows(row, r.Filter.Min) {
			rows = append(rows, row)
		}
	}
	sortRows(rows, r.Sort)
	if r.Top > 0 && len(rows) > r.Top {
		return rows[:r.Top], len(rows) - r.Top
	}
	return rows, 0
}

// Damage gives an error that tells which files were damaged, nil if none was. It
// wraps format.ErrDamaged.
func (r *Report) Damage() error { return errors.Join(r.damage...) }

// Calls gives the number of calls in what is shown.
func (r *Report) Calls() (n uint64) {
	if r.Tree {
		r.walk(func(c *node, _ int) { n += c.calls }, nil)
		return n
	}
	for _, row := range r.rows {
		if r.shows(row, r.Filter.Min) {
			n += row.Calls
		}
	}
	return n
}

// Longest gives the greatest total, ns, of a row that is shown but for the filter's Min.
func (r *Report) Longest() (ns int64) {
	if r.Tree {
		for _, n := range r.view().nodes {
			ns = max(ns, n.total)
		}
		return ns
	}
	for _, row := range r.rows {
		if r.shows(row, 0) {
			ns = max(ns, row.Total)
		}
	}
	return ns
}

// Format is the form of a printed report.
type Format int

const (
	Text Format = iota
	JSON
	CSV
	FlatJSON // of a tree; no value of --format
)

// Formats are the values of --format.
var Formats = []string{"text", "json", "csv"}

// ParseFormat reads the value of --format.
func ParseFormat(text string) (Format, error) {
	i, err := parse("format", text, Formats)
	return Format(i), err
}

// Write prints the report.
func (r *Report) Write(w io.Writer, f Format) error {
	switch f {
	case JSON:
		return r.writeJSON(w)
	case CSV:
		return r.writeCSV(w)
	}
	return r.writeText(w)
}

// sum adds up the recordings, for what is said about the whole report.
func (r *Report) sum() Recording {
	s := Recording{Info: tracefile.Info{Complete: true}}
	var spans []span
	for i, rec := range r.Recordings {
		if i == 0 {
			s.Info.Program = rec.Info.Program
		}
		s.Files = append(s.Files, rec.Files...)
		spans = append(spans, rec.Span)
		s.Info.Lost += rec.Info.Lost
		s.Info.Damaged += rec.Info.Damaged
		s.Info.Complete = s.Info.Complete && rec.Info.Complete
		s.Info.Stopped = max(s.Info.Stopped, rec.Info.Stopped)
		s.Info.Missing += rec.Info.Missing
		s.Info.From = max(s.Info.From, rec.Info.From)
		s.Events += rec.Events
		s.Calls += rec.Calls
		s.Goroutines += rec.Goroutines
		s.Open += rec.Open
		s.Past = s.Past || rec.Past
		s.Problems.Unmatched += rec.Problems.Unmatched
		s.Problems.Cut += rec.Problems.Cut
		s.Problems.Backward += rec.Problems.Backward
		s.Problems.Unknown += rec.Problems.Unknown
	}
	s.Duration = int64(covered(spans))
	return s
}

// progress counts the events that are read.
type progress struct {
	read, all uint64
	tell      func(read, all uint64)
}

// progressStep is how many events lie between two calls of Options.Progress: some 20 ms.
const progressStep = 1 << 20

func (p *progress) add(events int) {
	before := p.read
	p.read += uint64(events)
	if p.read/progressStep > before/progressStep && p.tell != nil {
		p.tell(p.read, max(p.read, p.all))
	}
}
