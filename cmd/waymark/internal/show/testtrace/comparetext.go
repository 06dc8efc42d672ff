package testtrace

import (
	"fmt"
	"io"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// shownDifferences is how many are written in full.
const shownDifferences = 4

// Write writes the first differences, in the manner of diff -u: what the run that passed did with -,
// what the other did with +.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	name := strings.TrimSpace(c.Failed.Recording.Package + " " + c.Failed.Name)
	for i, run := range []*Run{c.Passed, c.Failed} {
		file := run.Recording.file
		took := recording.ScaleOf(file).Nanoseconds(run.ticks(recording.EndOf(file)))
		when := "after"
		if run.Outcome == Unended {
			when = "in"
		}
		fmt.Fprintf(&b, "%s %s %s %s %s\n", []string{"---", "+++"}[i], name, run.Outcome, when, units.Duration(took))
	}
	for i, d := range c.Differences {
		if i == shownDifferences {
			fmt.Fprintf(&b, "%s more, later\n", units.Things(uint64(len(c.Differences)-i), "difference"))
			break
		}
		c.write(&b, d)
	}
	fmt.Fprintf(&b, "%s alike", units.Things(c.Same, "call"))
	if len(c.Differences) == 0 {
		b.WriteString(", no difference")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Comparison) write(b *strings.Builder, d *Difference) {
	what := "other values"
	if d.Calls {
		what = "other calls"
	}
	fmt.Fprintf(b, "@@ %s, after %s: %s @@\n", d.Thread, units.Duration(d.at), what)
	for depth := range d.around {
		f := &d.around[depth]
		c.line(b, ' ', depth, c.text(&f.step)+" {")
		if depth == len(d.around)-1 {
			c.steps(b, ' ', depth+1, f.done)
		}
	}
	for side, mark := range []byte{'-', '+'} {
		after := d.after[side]
		switch {
		case len(after) == 0:
			c.line(b, mark, len(d.around), "// nothing more")
		case !d.Calls && after[0].begins:
			c.line(b, mark, len(d.around), c.text(&after[0]))
		default:
			c.steps(b, mark, len(d.around), after)
		}
	}
}

// steps writes steps. A call that called nothing is on one line.
func (c *Comparison) steps(b *strings.Builder, mark byte, depth int, list []step) {
	for i := 0; i < len(list); i++ {
		s := &list[i]
		switch {
		case s.begins && i+1 < len(list) && !list[i+1].begins:
			i++
			c.line(b, mark, depth, c.text(s)+list[i].end()+";"+list[i].comment(""))
		case s.begins:
			c.line(b, mark, depth, c.text(s)+" {")
			depth++
		default:
			depth = max(depth-1, 0)
			end := s.end()
			if end != "" {
				end += ";"
			}
			c.line(b, mark, depth, "}"+end+s.comment(c.names.Short(s.function)))
		}
	}
}

func (c *Comparison) line(b *strings.Builder, mark byte, depth int, text string) {
	b.WriteByte(mark)
	b.WriteByte(' ')
	b.WriteString(table.IndentTo(depth, table.MaxIndent) + text + "\n")
}

// text returns how a call begins.
func (c *Comparison) text(s *step) string { return c.names.Short(s.function) + s.values }

// end returns a call's results.
func (s *step) end() string {
	if s.values == "" || s.ended != "" && s.ended != recovered {
		return ""
	}
	return " = " + s.values
}

// comment says how a call ended, as a comment of C.
func (s *step) comment(name string) string {
	words := []string{name, s.ended}
	if s.ended == panicked && s.values != "" {
		words[1] += ": " + s.values
	}
	text := strings.Trim(strings.Join(words, ", "), ", ")
	if text == "" {
		return ""
	}
	return " /* " + text + " */"
}
