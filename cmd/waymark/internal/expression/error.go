package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An Error says what is wrong with an expression, and where.
type Error struct {
	Text   string // the expression
	Offset int    // in Text, bytes
	What   string
}

// Error returns the message with the number of the character, from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("--if: character %d of %s: %s", e.column(), e.Text, e.What)
}

func (e *Error) column() int { return utf8.RuneCountInString(e.Text[:min(e.Offset, len(e.Text))]) + 1 }

// A Signature is what is known of a function.
type Signature struct {
	Function      string
	Args, Results []Value // the receiver is the first argument
}

// A Value is an argument or a result.
type Value struct {
	Name string // empty or _: it has none
	Type string // as in the source, such as *Request; empty: it is not known
}

// list returns the names and types for errors.
func list(values []Value) string {
	if len(values) == 0 {
		return "there are none"
	}
	var texts []string
	for i, v := range values {
		text := v.Name
		if text == "" || text == "_" {
			text = fmt.Sprintf("[%d]", i)
		}
		if v.Type != "" {
			text += " " + v.Type
		}
		texts = append(texts, text)
	}
	return "there are " + strings.Join(texts, ", ")
}
