package search

import (
	"slices"
	"strings"
)

const (
	// proximityBoost is by how much a document's score is raised, divided by
	// the length of its shortest passage with all words of the query.
	proximityBoost = 2.0
	// snippetWords is the length of a snippet.
	snippetWords = 12
)

// An analysis is a document taken apart into terms.
type analysis struct {
	text      string
	tokens    []Token
	positions map[string][]int // of each term, ascending
}

func analyze(doc *entry) *analysis {
	a := &analysis{
		text:      doc.text(),
		tokens:    make([]Token, 0, doc.words),
		positions: make(map[string][]int, doc.words),
	}
	for tok := range Tokens(a.text) {
		a.tokens = append(a.tokens, tok)
		a.positions[tok.Term] = append(a.positions[tok.Term], tok.Pos)
	}
	return a
}

// boost returns the factor by which the places of terms in the document raise
// its score.
func (a *analysis) boost(terms []string) float64 {
	var lists [][]int
	for _, term := range terms {
		if at := a.positions[term]; len(at) > 0 {
			lists = append(lists, at)
		}
	}
	if len(lists) < len(terms) {
		return 1
	}
	return 1 + proximityBoost/float64(shortestSpan(lists...))
}

// shortestSpan returns the length of the shortest range that has a member of
// each of the lists, which are ascending and not empty.
func shortestSpan(lists ...[]int) int {
	heads := slices.Clone(lists)
	best := 0
	for {
		low, high := 0, 0
		for i, list := range heads {
			if list[0] < heads[low][0] {
				low = i
			}
			if list[0] > heads[high][0] {
				high = i
			}
		}
		if span := heads[high][0] - heads[low][0] + 1; best == 0 || span < best {
			best = span
		}
		if heads[low] = heads[low][1:]; len(heads[low]) == 0 {
			return best
		}
	}
}

// snippet returns the passage that begins with the first of terms in the
// document, with the terms in it marked.
func (a *analysis) snippet(terms []string) string {
	matches := func(tok Token) bool { return slices.Contains(terms, tok.Term) }
	first := max(0, slices.IndexFunc(a.tokens, matches))
	passage := a.tokens[first:min(first+snippetWords, len(a.tokens))]
	if len(passage) == 0 {
		return ""
	}
	var b strings.Builder
	at := passage[0].Start
	for _, tok := range passage {
		b.WriteString(a.text[at:tok.Start])
		word := a.text[tok.Start:tok.End]
		if matches(tok) {
			word = "**" + word + "**"
		}
		b.WriteString(word)
		at = tok.End
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
