package directive

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A comment is a directive as it stands in a file.
type comment struct {
	word string
	kind string // the word, or what is written today in its place
	args []string
	pos  token.Pos
	src  *syntax.Source
}

// Prefix begins every directive.
const Prefix = "//waymark:"

// words are those of directives. The first is trace, too, as in older sources.
var words = []string{"group", "trace", "ignore", "name", "info"}

func parse(src *syntax.Source, c *ast.Comment) (d *comment, ok bool) {
	text, ok := strings.CutPrefix(c.Text, Prefix)
	if !ok {
		return nil, false
	}
	d = &comment{pos: c.Pos(), src: src}
	// What is behind it may be explained, as in Go's own directives.
	text, _, _ = strings.Cut(text, "//")
	if fields := strings.Fields(text); len(fields) > 0 && strings.HasPrefix(text, fields[0]) {
		d.word, d.args = fields[0], fields[1:]
	}
	if d.kind = d.word; d.kind == "trace" {
		d.kind = "group"
	}
	return d, true
}

// unknown reports a directive with a word that there isn't.
func (r *reader) unknown(one *comment) {
	word := strings.ToLower(one.word)
	if word == one.word || !slices.Contains(words, word) {
		r.wrong(one, "there is no such directive: want group, ignore, name or info")
		return
	}
	start := one.src.Offset(one.pos) + len(Prefix)
	r.wrongWith(Fix{start, start + len(one.word), word}, one, "there is no such directive: want %s in lower case", word)
}
