package report

import (
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
)

// Goroutines returns a row for each goroutine, in the order of the recordings. There are some only
// with Options.Goroutines, or in a report by goroutine.
func (r *Report) Goroutines() []*Row {
	if r.By == ByGoroutine {
		return r.rows
	}
	return r.goroutines
}

// Account returns the call tree of a report that was made with Options.Tree: all of it, shown or not. Its
// rows are numbers for Func.
func (r *Report) Account() *calls.Tree { return &r.tree }

// Func returns the function of a row of the tree.
func (r *Report) Func(row uint32) *function.Func { return &r.rows[row].Func }
