package search

import (
	"iter"
	"strings"
	"unicode"
)

// A Token is a word of a text.
type Token struct {
	Term       string // the word normalised, as it is indexed
	Pos        int    // the number of words before it
	Start, End int    // where it is in the text, in bytes
}

// Tokens iterates over the words of text that are worth indexing. Words that
// are not count in the positions of others.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		pos := 0
		for start, end := range words(text) {
			if term := Normalize(text[start:end]); term != "" && !stopWords[term] {
				if !yield(Token{Term: term, Pos: pos, Start: start, End: end}) {
					return
				}
			}
			pos++
		}
	}
}

// words iterates over the start and end of each run of letters and digits in
// text. An apostrophe between letters belongs to the word.
func words(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start := -1
		for i, r := range text {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				if start < 0 {
					start = i
				}
			case isApostrophe(r) && start >= 0:
			case start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// Normalize returns the form of word under which it is indexed: in lower
// case, without diacritics, possessive or plural ending.
func Normalize(word string) string {
	var b strings.Builder
	b.Grow(len(word))
	for _, r := range word {
		if isApostrophe(r) {
			break // a possessive or contraction
		}
		b.WriteRune(fold(unicode.ToLower(r)))
	}
	return stem(b.String())
}

// diacritics maps accented letters to plain ones.
var diacritics = map[rune]rune{}

// stopWords are the terms too common to be worth indexing.
var stopWords = map[string]bool{}

func init() {
	for plain, accented := range map[rune]string{
		'a': "àáâãäå", 'c': "ç", 'e': "èéêë", 'i': "ìíîï",
		'n': "ñ", 'o': "òóôõöø", 'u': "ùúûü", 'y': "ýÿ",
	} {
		for _, r := range accented {
			diacritics[r] = plain
		}
	}
	for w := range strings.FieldsSeq("a an and are as at be by for from in is it of on or that the this to with") {
		stopWords[w] = true
	}
}

func fold(r rune) rune {
	if r < unicode.MaxASCII {
		return r
	}
	if plain, ok := diacritics[r]; ok {
		return plain
	}
	return r
}

// stem removes an English plural ending (Harman's S-stemmer, simplified).
func stem(word string) string {
	switch {
	case len(word) <= 3 || hasAnySuffix(word, "us", "ss"):
		return word
	case hasAnySuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	}
	return strings.TrimSuffix(word, "s")
}

func hasAnySuffix(word string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(word, s) {
			return true
		}
	}
	return false
}
