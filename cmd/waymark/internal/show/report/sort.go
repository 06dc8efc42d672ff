package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/pattern"
)

// By says what a row of the report stands for.
type By int

const (
	ByFunction By = iota
	ByPackage
	ByGroup
	ByGoroutine
	ByType  // of objects
	ByValue // of an argument or result: Options.Value
)

// Bys are the values of --by.
var Bys = []string{"function", "package", "group", "goroutine", "type"}

func (b By) String() string {
	if b == ByValue {
		return "value"
	}
	return Bys[b]
}

// ParseBy reads the value of --by, unless that is an argument or result.
func ParseBy(text string) (By, error) {
	i, err := parse("a report by", text, Bys)
	return By(i), err
}

// Sort says which column the rows are sorted by, greatest first.
type Sort int

const (
	SortTotal Sort = iota
	SortSelf
	SortCalls
	SortAvg
	SortMax
	SortPanics
	SortErrors
	SortObjects
	SortBytes
	SortRunning
	SortRunnable
	SortWaiting
)

// Sorts are the values of --sort.
var Sorts = []string{"total", "self", "calls", "avg", "max", "panics", "errors", "objects", "bytes", "running", "runnable", "waiting"}

// ParseSort reads the value of --sort.
func ParseSort(text string) (Sort, error) {
	i, err := parse("sort by", text, Sorts)
	return Sort(i), err
}

// parse returns the index of text in names.
func parse(what, text string, names []string) (int, error) {
	i := slices.Index(names, text)
	if i < 0 {
		last := len(names) - 1
		return 0, fmt.Errorf("%s %q: want %s or %s%s", what, text, strings.Join(names[:last], ", "), names[last], pattern.IsIt(text, names, 1))
	}
	return i, nil
}

// sortRows puts the greatest first. Rows that are equal in that are in the order
// of their names, so that the same recording always gives the same report.
func sortRows(rows []*Row, by Sort) {
	key := map[Sort]func(*Row) uint64{
		SortTotal:  func(r *Row) uint64 { return uint64(r.Total) },
		SortSelf:   func(r *Row) uint64 { return uint64(r.Self) },
		SortCalls:  func(r *Row) uint64 { return r.Calls },
		SortAvg:    func(r *Row) uint64 { return uint64(r.Avg()) },
		SortMax:    func(r *Row) uint64 { return uint64(r.Max) },
		SortPanics: func(r *Row) uint64 { return r.Panics },
		SortErrors: func(r *Row) uint64 { return r.Errors },

		SortObjects:  func(r *Row) uint64 { return r.Objects },
		SortBytes:    func(r *Row) uint64 { return r.Bytes },
		SortRunning:  func(r *Row) uint64 { return uint64(r.Off.Total.Running(r.Total)) },
		SortRunnable: func(r *Row) uint64 { return uint64(r.Off.Total.Runnable) },
		SortWaiting:  func(r *Row) uint64 { return uint64(r.Off.Total.Waited()) },
	}[by]
	slices.SortFunc(rows, func(a, b *Row) int {
		return cmp.Or(
			cmp.Compare(key(b), key(a)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Goroutine.ID, b.Goroutine.ID),
			cmp.Compare(a.Goroutine.Process, b.Goroutine.Process),
		)
	})
}
