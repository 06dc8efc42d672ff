package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/units"
)

// Formats are the values of --format, which are the first arguments of Write.
var Formats = []string{"text", "json", "markdown"}

// CheckFormat returns an error if format is none of Formats.
func CheckFormat(format string) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("format %q: want %s%s", format, strings.Join(Formats, ", "), pattern.IsIt(format, Formats, 1))
	}
	return nil
}

// Write prints the comparison in one of Formats.
func (d *Diff) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return d.writeJSON(w)
	case "markdown":
		return d.writeMarkdown(w)
	}
	return d.writeText(w)
}

// headline counts what has changed.
func (d *Diff) headline() string {
	var changed, added, gone, rest uint64
	for _, f := range d.Functions {
		switch {
		case f.New():
			added++
		case f.Gone():
			gone++
		case f.changed:
			changed++
		default:
			rest++
		}
	}
	line := units.Things(changed, "function") + " changed"
	if added > 0 {
		line += fmt.Sprintf(", %s new", units.Count(added))
	}
	if gone > 0 {
		line += fmt.Sprintf(", %s gone", units.Count(gone))
	}
	return line + fmt.Sprintf(", %s unchanged", units.Count(rest))
}

// shown returns the functions that have a row, and how many more Options.Top leaves out.
func (d *Diff) shown() (list []*Function, more int) {
	for _, f := range d.Functions {
		if f.changed || d.matters(f) {
			list = append(list, f)
		}
	}
	return first(list, d.Top)
}

// first returns the first rows, and how many are left out. 0 rows are all.
func first[T any](list []T, top int) ([]T, int) {
	if top > 0 && len(list) > top {
		return list[:top], len(list) - top
	}
	return list, 0
}

// notes returns lines under the tables: the sides, what signs mean, and what the recordings lack.
func (d *Diff) notes() (lines []string) {
	for i := range d.sides {
		s := &d.sides[i]
		sum := recording.Sum(s.recordings)
		line := fmt.Sprintf("%s: %s, ", sideNames[i], s.program)
		if n := len(s.recordings); n > 1 {
			line += units.Things(uint64(n), "recording") + ", "
		}
		lines = append(lines, line+units.Things(sum.Calls+sum.Counted.Sum-min(sum.Counted.Long, sum.Counted.Sum), "call"))
	}
	var noise, unknown, partial bool
	for _, f := range d.Functions {
		if !f.changed && !d.matters(f) {
			continue
		}
		for _, c := range []*Change{&f.Calls, &f.Self, &f.Total} {
			noise = noise || c.Verdict == Noise
			unknown = unknown || c.Verdict == Unknown && c.size() > 0
		}
		partial = partial || f.Demoted
	}
	if noise {
		lines = append(lines, fmt.Sprintf("noise: chance makes medians differ as much with a probability above %g (Mann-Whitney)", d.Alpha))
	}
	if unknown {
		lines = append(lines, "? may be noise: several recordings of each side tell, as in waymark diff old*.wmt -- new*.wmt")
	}
	if partial {
		lines = append(lines, "~ calls of the function were counted at times, to keep to the budget: its times are not compared")
	}
	if a, b := d.sides[Before].program, d.sides[After].program; a != b {
		lines = append(lines, fmt.Sprintf("the programs have different names, %s and %s", a, b))
	}
	for i := range d.sides {
		for _, line := range recording.Lacks(d.sides[i].recordings) {
			lines = append(lines, sideNames[i]+": "+line)
		}
	}
	return lines
}
