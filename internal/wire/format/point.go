package format

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pointWords say that something begins or ends.
var pointWords = []string{"enter", "exit", "begin", "end", "start", "stop"}

// PointName returns the name of what an info function says the beginning or the end of. It is the
// function's tracing name, without a word enter, exit, begin, end, start or stop at its beginning
// or its end. The word may be in upper or lower case. So what enterMarshal begins exitMarshal ends,
// as marshalEnter and marshalExit do: it is marshal. Of Type.begin and Type.end it is Type; of
// functions that are just begin and end it is empty.
//
// A word ends where an upper-case letter, a digit or one of _ - . follows, so there is none in
// endpoint or send.
func PointName(tracing string) string {
	dot := strings.LastIndexByte(tracing, '.') + 1
	typ, name := tracing[:dot], tracing[dot:]
	for _, word := range pointWords {
		switch rest, ok := cutWord(name, word); {
		case !ok:
		case rest == "":
			return strings.TrimSuffix(typ, ".")
		default:
			return typ + rest
		}
	}
	return tracing
}

// cutWord takes a word off the beginning of a name, or else off its end.
func cutWord(name, word string) (rest string, ok bool) {
	if len(name) < len(word) {
		return name, false
	}
	if head, rest := name[:len(word)], name[len(word):]; strings.EqualFold(head, word) && beginsWord(rest) {
		return lowerFirst(strings.TrimLeft(rest, "_-")), true
	}
	if rest, tail := name[:len(name)-len(word)], name[len(name)-len(word):]; strings.EqualFold(tail, word) && endsWord(rest, tail) {
		return lowerFirst(strings.TrimRight(rest, "_-")), true
	}
	return name, false
}

// beginsWord reports whether a new word begins with s, or nothing is left.
func beginsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || !unicode.IsLower(r)
}

// endsWord reports whether tail is a word of its own behind s.
func endsWord(s, tail string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	capital, acronym := unicode.IsUpper(rune(tail[0])), unicode.IsUpper(rune(tail[1]))
	return !unicode.IsLetter(last) || capital && !(acronym && unicode.IsUpper(last))
}

// lowerFirst makes the first word of a name begin as one in the middle of a line does; an acronym
// stays.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); n == 0 || unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// Describe returns a sentence that says what a function with a directive is: its comment's first
// one, or else one that names function and package.
func (f TracedFunction) Describe(pkg string) string {
	switch {
	case f.Doc != "":
		return f.Doc
	case f.Info == NotInfo:
		return "Function " + f.Name + " of package " + pkg + "."
	}
	if name := PointName(f.Name); name != "" {
		return "Timing point " + name + " of package " + pkg + "."
	}
	return "Timing point of package " + pkg + "."
}

// Describe returns a sentence that says what the group is.
func (d GroupDoc) Describe() string {
	if d.Doc != "" {
		return d.Doc
	}
	return "Functions in group " + d.Name + "."
}
