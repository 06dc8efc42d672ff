package table

import (
	"strconv"
	"strings"
)

// MaxIndent is how many levels of calls blanks show. Deeper lines could not be read, and the lines
// of a recursion would take memory quadratic in its depth.
const MaxIndent = 40

var blanks = strings.Repeat("  ", MaxIndent)

// Indent returns what stands before a call with as many callers. It is two blanks for each, but if
// there are more than MaxIndent the number of them: "(41) ".
func Indent(depth int) string { return IndentTo(depth, MaxIndent) }

// IndentTo is Indent with room for fewer levels of blanks.
func IndentTo(depth, levels int) string {
	if depth <= levels {
		return blanks[:2*depth]
	}
	return blanks[:2*levels] + "(" + strconv.Itoa(depth) + ") "
}
