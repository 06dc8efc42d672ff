package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say what a report shows. The zero value is all functions by total time.
type Options struct {
	By     By
	Sort   Sort
	Top    int            // rows to print; 0 is all
	Value  *recorded.Path // of ByValue
	Filter recording.Filter
	Tree   bool // for WriteTree and Paths

	Goroutines bool // rows of goroutines beside the others, see Report.Goroutines

	Waiting bool // in text, too: when goroutines ran, were ready and waited

	// Of text.
	Style     table.Style
	FullNames bool // of functions
	LeftOut   bool // say what is not instrumented: to who has just built the program

	// Progress, if not nil, is told now and then how many of a file's events have been read.
	Progress func(read, all uint64)
}

// A Report adds up the calls of the processes of a program.
type Report struct {
	Options
	Recordings []recording.Summary // of the processes

	rows       []*Row
	index      map[function.Identity]uint32 // in rows
	types      []*Row                       // of objects, see ByType
	goroutines []*Row                       // beside the rows, with Options.Goroutines
	names      *names.Set                   // of all functions of the recordings, called or not
	tree       calls.Tree                   // with Options.Tree: the whole account, shown or not
	shown      *view                        // of it

	Masked bool // a row's value was not recorded, because it looked like a secret

	damage []error   // one for each damaged file
	began  time.Time // the first process, of statistics
}

// New returns an empty report.
func New(o Options) *Report {
	r := &Report{Options: o, index: make(map[function.Identity]uint32)}
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
	progress := &progress{tell: r.Progress}
	for _, file := range set.Processes {
		progress.all += file.Info().Events
	}
	var errs []error
	recording.AddNames(r.names, set.Processes...)
	if r.choosing() {
		return r.readChosen(set, progress)
	}
	for _, p := range recording.Processes(set) {
		if err := r.add(p, progress); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.File.Path(), err))
		}
	}
	return errors.Join(errs...)
}

// add adds the recording of a process.
func (r *Report) add(p *recording.Process, progress *progress) error {
	var errs []error
	o := r.Filter.Options(p)
	o.Goroutines = r.By == ByGoroutine || r.Options.Goroutines
	o.Tree = r.Tree || r.Filter.Depth > 0
	var result *calltree.Result // of the first reading; others count the same calls in other rows
	countings := r.countings(p)
	counted := r.Filter.Counting(p)
	progress.all += uint64(len(countings)-1) * p.File.Info().Events
	var estimates *calltree.Estimates
	for _, rowOf := range countings {
		o.Key = rowOf
		var one *calltree.Result
		var err error
		if result != nil && estimates != nil {
			one = result // which has the calls by site
		} else {
			one, estimates, err = r.Filter.Estimating(p, o, &counted, runtime.GOMAXPROCS(0), progress.add)
		}
		if estimates != nil && rowOf != nil {
			folded := *one
			var bounds map[uint32]*calltree.Bounds
			folded.Rows, bounds = estimates.Rows(rowOf)
			if o.Tree {
				folded.Tree = estimates.Tree(rowOf)
			}
			r.addEstimated(folded.Rows, bounds, p.Scale)
			one = &folded
		}
		if rowOf != nil {
			r.addRows(one.Rows, rowOf, counted.Calls, p.Scale)
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

	r.addTypes(p.File.Objects())
	rec := r.Filter.Summary(p, result)
	r.noteDamage(p, &rec)
	goroutines := result.Goroutines
	if r.By == ByGoroutine && r.Filter.Show != nil {
		var err error
		if goroutines, err = r.calling(p, o, goroutines); err != nil {
			errs = append(errs, err)
		}
	}
	for i := range goroutines {
		row := goroutineRow(p.File, &goroutines[i], p.Scale)
		row.Goroutine.Process, row.Goroutine.PID = p.Label, rec.Info.PID
		row.Goroutine.Start += int64(p.Since)
		row.Goroutine.End += int64(p.Since)
		if r.By == ByGoroutine {
			r.rows = append(r.rows, row)
		} else {
			r.goroutines = append(r.goroutines, row)
		}
	}
	if r.Tree {
		calltree.AddTo(&r.tree, result.Tree, p.Scale)
	}
	r.Recordings = append(r.Recordings, rec)
	return errors.Join(errs...)
}

// addEstimated adds what is known of rows that are estimated, before the rows are added.
func (r *Report) addEstimated(rows []calltree.Row, bounds map[uint32]*calltree.Bounds, scale calltree.Scale) {
	for i := range rows {
		c := &rows[i]
		if c.Key >= recording.Hidden {
			continue
		}
		n := stats.Numbers{
			Total: time.Duration(scale.Nanoseconds(c.Total)), Self: time.Duration(scale.Nanoseconds(c.Self)), Panics: c.Panics, Errors: c.Errors,
		}
		b := bounds[c.Key]
		if b == nil || b.Counted == 0 && n.Self == 0 && b.Samples > 0 {
			r.rows[c.Key].addEstimate(&n)
			continue
		}
		times := func(t [2]float64) (d [2]time.Duration) {
			for i := range d {
				d[i] = time.Duration(scale.Nanoseconds(uint64(t[i])))
			}
			return d
		}
		calls := time.Duration(max(c.Calls+b.Counted, 1))
		n.Estimate = &stats.Estimate{Samples: b.Samples, Unknown: b.Unknown, Total: times(b.Total), Self: times(b.Self), Panics: b.Panics, Errors: b.Errors}
		if b.Gaps {
			n.Calls = c.Calls + b.Counted
			n.Estimate.Calls = &[2]uint64{n.Calls - min(b.Calls[0], n.Calls), n.Calls + b.Calls[1]}
		}
		for i, sum := range times(b.Sum) {
			n.Estimate.Mean[i] = sum / calls
		}
		r.rows[c.Key].addEstimate(&n)
		if !b.Unknown {
			r.rows[c.Key].measured += b.Counted
		}
	}
}

// addRows adds the rows of one counting, with the counted calls of sites.
func (r *Report) addRows(rows []calltree.Row, rowOf counting, counted map[uint32]uint64, scale calltree.Scale) {
	calls := make(map[uint32]uint64)                         // that were counted, by row
	for _, site := range slices.Sorted(maps.Keys(counted)) { // rows are made in that order
		calls[rowOf(site)] += counted[site]
	}
	for i := range rows {
		row := &rows[i]
		if row.Key >= recording.Hidden {
			continue
		}
		r.rows[row.Key].add(row, scale)
		if n, ok := calls[row.Key]; ok || row.Long > 0 {
			r.rows[row.Key].count(n, row.Long)
		}
		delete(calls, row.Key)
	}
	for row, n := range calls {
		if row < recording.Hidden {
			r.rows[row].count(n, 0)
		}
	}
}

// rowOf returns the index of the row of a function, which may have several sites: its package is
// compiled again for tests. The groups and tiny functions of the latest one are the row's.
func (r *Report) rowOf(f function.Func) uint32 {
	i, ok := r.index[f.Identity()]
	if !ok {
		i = uint32(len(r.rows))
		r.index[f.Identity()] = i
		r.rows = append(r.rows, new(Row))
	}
	r.rows[i].Func = f
	return i
}

// markShallow marks the rows that have calls with few enough callers for the filter.
func (r *Report) markShallow(tree []calltree.Node) {
	callers := make([]int32, len(tree))
	for i := range tree {
		n := &tree[i]
		if n.Caller != calltree.NoCaller {
			callers[i] = callers[n.Caller] + 1
		}
		if n.Key < recording.Hidden && int(callers[i]) < r.Filter.Depth {
			r.rows[n.Key].shallow = true
		}
	}
}

// calling returns those of a file's goroutines that call functions which the filter shows. It reads
// the file once more.
func (r *Report) calling(p *recording.Process, o calltree.Options, all []calltree.Goroutine) ([]calltree.Goroutine, error) {
	show := p.Matcher(r.Filter.Show)
	account := o.Keep
	o.Keep = func(site uint32) bool { return (account == nil || account(site)) && show(site) }
	o.Tree = false
	only, err := calltree.ReadFile(p.File, o, p.End, runtime.GOMAXPROCS(0), nil)
	calling := make(map[uint64]bool)
	for i := range only.Goroutines {
		if g := &only.Goroutines[i]; g.Calls > 0 {
			calling[g.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(g calltree.Goroutine) bool { return !calling[g.ID] }), err
}

// shows reports whether the filter shows a row, unless its total is below min.
func (r *Report) shows(row *Row, min time.Duration) bool {
	if row.Total < int64(min) {
		return false
	}
	if r.Tree && r.By == ByFunction && r.Filter.Show != nil && !r.Filter.Show(&row.Func) { // the tree has them all
		return false
	}
	return r.By == ByGoroutine || row.Calls > 0 && (r.Filter.Depth == 0 || row.shallow)
}

// Rows returns the rows with calls that the filter shows, sorted, and how many Options.Top leaves
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

// Damage returns an error that names the damaged files, nil if none was. It
// wraps tracefile.ErrDamaged.
func (r *Report) Damage() error { return errors.Join(r.damage...) }

// Calls returns the number of calls in what is shown.
func (r *Report) Calls() (n uint64) {
	if r.Tree {
		r.walk(func(c *calls.Node, _ int) { n += c.Sum.Calls }, nil)
		return n
	}
	for _, row := range r.rows {
		if r.shows(row, r.Filter.Min) {
			n += row.Calls
		}
	}
	return n
}

// Longest returns the greatest total, ns, of a row that is shown but for the filter's Min.
func (r *Report) Longest() (ns int64) {
	if r.Tree {
		for _, n := range r.view().Nodes {
			ns = max(ns, n.Sum.Total)
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
	Rows // of a tree
)

// Formats are the values of --format.
var Formats = []string{"text", "json", "csv"}

// TreeFormats are those of a tree.
var TreeFormats = append(slices.Clone(Formats), "rows")

// ParseFormat reads the value of --format.
func ParseFormat(text string) (Format, error) {
	i, err := parse("format", text, Formats)
	return Format(i), err
}

// ParseTreeFormat reads the value of --format of a tree.
func ParseTreeFormat(text string) (Format, error) {
	i, err := parse("format", text, TreeFormats)
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
