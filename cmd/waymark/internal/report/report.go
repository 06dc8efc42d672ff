package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say what a report shows. The zero value is all functions by total time.
type Options struct {
	By     By
	Sort   Sort
	Top    int // rows to print; 0 is all
	Filter Filter
	Colour bool // of text
	Tree   bool // for WriteTree

	// Progress, if not nil, is told now and then how many of a file's events have been read.
	Progress func(read, all uint64)
}

// A Report adds up the calls of one or more recordings.
type Report struct {
	Options
	Recordings []Recording

	rows  []*Row
	index map[identity]uint32 // in rows
	tree  node                // with Options.Tree; its children are the functions that goroutines begin in
}

// A Recording tells where the numbers come from, and what they lack.
type Recording struct {
	File string         // absolute
	Info tracefile.Info // after reading, so with the damage that was met

	// What the filter lets through.
	Duration   int64 // ns
	Events     uint64
	Goroutines uint64
	Open       uint64 // calls that had not ended
	Problems   calltree.Problems
}

// New returns an empty report.
func New(o Options) *Report {
	return &Report{Options: o, index: make(map[identity]uint32)}
}

// Add adds the recording in a file; path is its name. On an error, what could be
// read has been added. Damage is no error here, see Damage.
func (r *Report) Add(file *tracefile.File, path string) error {
	if r.By == ByGoroutine && len(r.Recordings) > 0 {
		return errors.New("goroutines of several recordings have nothing in common: report them one by one")
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	scale := ScaleOf(file)
	o := r.Filter.options(file, scale)
	o.Goroutines = r.By == ByGoroutine
	o.Tree = r.Tree
	if r.By != ByGoroutine {
		o.Key = func(site uint32) uint32 { return r.rowOf(identify(file, site, r.By)) }
	}
	before := file.Info()
	source := &progress{Events: file.Events(), all: before.Events, tell: r.Progress}
	result, err := calltree.Read(source, o, clockAt(file, before.Duration))
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}

	rec := Recording{
		File: path, Info: file.Info(),
		Events: result.Events, Goroutines: result.Seen, Problems: result.Problems,
	}
	rec.Duration = int64(rec.Info.Duration)
	if to := r.Filter.To; to > 0 {
		rec.Duration = min(rec.Duration, int64(to))
	}
	rec.Duration = max(rec.Duration-int64(r.Filter.From), 0)
	for i := range result.Rows {
		row := &result.Rows[i]
		rec.Open += row.Open
		if r.By != ByGoroutine {
			r.rows[row.Key].add(row, scale)
		}
	}
	for i := range result.Goroutines {
		r.rows = append(r.rows, goroutineRow(file, &result.Goroutines[i], scale))
	}
	r.addTree(&r.tree, result.Tree, scale)
	r.Recordings = append(r.Recordings, rec)
	return err
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

// Rows gives the rows with calls, sorted, and how many Options.Top leaves out.
func (r *Report) Rows() (rows []*Row, more int) {
	for _, row := range r.rows {
		if row.Calls > 0 || r.By == ByGoroutine {
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
func (r *Report) Damage() error {
	var errs []error
	for _, rec := range r.Recordings {
		if n := rec.Info.Damaged; n > 0 {
			errs = append(errs, fmt.Errorf("%s: %w: %s could not be read, the report is of the rest", rec.File, format.ErrDamaged, Bytes(n)))
		}
	}
	return errors.Join(errs...)
}

// Format is the form of a printed report.
type Format int

const (
	Text Format = iota
	JSON
	CSV
)

var formatNames = []string{"text", "json", "csv"}

// ParseFormat reads the value of --format.
func ParseFormat(text string) (Format, error) {
	i, err := parse("format", text, formatNames)
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
	for i, rec := range r.Recordings {
		if i == 0 {
			s.File, s.Info.Program = rec.File, rec.Info.Program
		}
		s.Info.Lost += rec.Info.Lost
		s.Info.Damaged += rec.Info.Damaged
		s.Info.Complete = s.Info.Complete && rec.Info.Complete
		s.Duration += rec.Duration
		s.Events += rec.Events
		s.Goroutines += rec.Goroutines
		s.Open += rec.Open
		s.Problems.Unmatched += rec.Problems.Unmatched
		s.Problems.Cut += rec.Problems.Cut
		s.Problems.Backward += rec.Problems.Backward
		s.Problems.Unknown += rec.Problems.Unknown
	}
	return s
}

// progress counts the events that pass.
type progress struct {
	*tracefile.Events
	read, all uint64
	tell      func(read, all uint64)
}

// progressStep is how many events lie between two calls of Options.Progress: some 50 ms.
const progressStep = 1 << 20

func (p *progress) Next(ev *format.Event) bool {
	p.read++
	if p.read%progressStep == 0 && p.tell != nil {
		p.tell(p.read, max(p.read, p.all))
	}
	return p.Events.Next(ev)
}
