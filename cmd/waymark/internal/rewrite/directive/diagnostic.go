package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A Diagnostic is a mistake in a directive, or in the use of an info function.
type Diagnostic struct {
	Place
	Text string
	Fix  Fix // zero if none is obvious
}

// A Place is a position, as line directives say, and the file that it is really in.
type Place struct {
	Pos  token.Position
	File string
}

// A Fix replaces the bytes in [Start, End) of the Place's file by New.
type Fix struct {
	Start, End int
	New        string
}

func (d Diagnostic) String() string { return d.Pos.String() + ": " + d.Text }

// Diagnostics is an error that lists mistakes in the order of their positions.
type Diagnostics []Diagnostic

func (d Diagnostics) Error() string {
	lines := make([]string, len(d))
	for i := range d {
		lines[i] = d[i].String()
	}
	return strings.Join(lines, "\n")
}

// sorted returns the diagnostics in the order of their positions, each once.
func (d Diagnostics) sorted() Diagnostics {
	slices.SortStableFunc(d, func(a, b Diagnostic) int {
		return cmp.Or(comparePositions(a.Pos, b.Pos), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(d)
}

func comparePositions(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
}

func place(t *syntax.Tree, pos token.Pos) Place {
	return Place{t.Fset.Position(pos), t.Fset.PositionFor(pos, false).Filename}
}

// wrong reports a mistake in a directive. Files of other units are checked with those.
func (r *reader) wrong(one *comment, text string, args ...any) {
	r.wrongWith(Fix{}, one, text, args...)
}

// wrongWith is wrong with a Fix.
func (r *reader) wrongWith(fix Fix, one *comment, text string, args ...any) {
	if one.src.Own {
		text = Prefix + one.word + ": " + fmt.Sprintf(text, args...)
		r.errors = append(r.errors, Diagnostic{place(r.tree, one.pos), text, fix})
	}
}

// wrongAt reports a mistake in Go code.
func (r *reader) wrongAt(pos token.Pos, text string) {
	r.errors = append(r.errors, Diagnostic{Place: place(r.tree, pos), Text: text})
}
