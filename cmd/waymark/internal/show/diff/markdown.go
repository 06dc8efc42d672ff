package diff

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/text/units"
)

// writeMarkdown prints tables as GitHub and others show them in comments.
func (d *Diff) writeMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### waymark diff: %s\n", d.headline())
	left := func(more int, noun string) {
		if more > 0 {
			fmt.Fprintf(b, "\n%s more.\n", units.Things(uint64(more), noun))
		}
	}
	list, more := d.shown()
	if len(list) > 0 {
		markdownHead(b, "Function")
	}
	for _, f := range list {
		name := code(d.short.Short(f.Name))
		switch {
		case f.New():
			name += " (new)"
		case f.Gone():
			name += " (gone)"
		}
		markdownRow(b, name, &f.Calls, &f.Self, &f.Total)
	}
	left(more, "function")
	paths, follow := d.shownPaths()
	paths, more = first(paths, d.Top)
	if len(paths) > 0 {
		markdownHead(b, "Path")
	}
	for _, p := range paths {
		markdownRow(b, code(d.path(p, " > ")), &p.Calls, &p.Self, &p.Total)
	}
	left(more, "path")
	if follow > 0 {
		fmt.Fprintf(b, "\n%s left out whose calls have changed as their callers' have.\n", units.Things(uint64(follow), "path"))
	}
	b.WriteByte('\n')
	for _, line := range d.notes() {
		fmt.Fprintf(b, "- %s\n", plain(line))
	}
	return b.Flush()
}

func markdownHead(b *bufio.Writer, of string) {
	fmt.Fprintf(b, "\n| %s | Calls | | Self time | | Total time | |\n|---|--:|--:|--:|--:|--:|--:|\n", of)
}

func markdownRow(b *bufio.Writer, name string, calls, self, total *Change) {
	fmt.Fprintf(b, "| %s", name)
	for i, c := range []*Change{calls, self, total} {
		text := func(n int64) string {
			if i == 0 {
				return strconv.FormatInt(n, 10)
			}
			return units.Duration(n)
		}
		words := plain(c.words(i == 0))
		if c.Verdict == Changed {
			words = "**" + words + "**"
		}
		if c.Before == c.After {
			fmt.Fprintf(b, " | %s | %s", text(c.Before), words)
		} else {
			fmt.Fprintf(b, " | %s → %s | %s", text(c.Before), text(c.After), words)
		}
	}
	b.WriteString(" |\n")
}

// code returns a name as it is, whatever it has in it.
func code(name string) string {
	return "<code>" + plain(name) + "</code>"
}

// plain returns a text without a meaning in Markdown or HTML.
func plain(text string) string {
	text = html.EscapeString(strings.Join(strings.Fields(text), " "))
	return marks.Replace(text)
}

var marks = strings.NewReplacer("|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "~", "&#126;", "[", "&#91;", "\\", "&#92;", "@", "&#64;")
