// Words prints the most frequent words of a text on its standard input.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

type entry struct {
	word string
	n    int
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	list := count(split(string(text)))
	for _, e := range top(list, 3) {
		fmt.Println(e.n, e.word)
	}
}

// split gives the words of a text in lower case.
func split(text string) []string {
	var words []string
	for _, w := range strings.Fields(text) {
		words = append(words, normalize(w))
	}
	return words
}

func normalize(word string) string {
	for _, cut := range []string{".", ",", ";", ":"} {
		word = strings.TrimSuffix(word, cut)
	}
	return strings.ToLower(word)
}

// count counts equal words.
func count(words []string) []entry {
	var list []entry
	for _, w := range words {
		if i := find(list, w); i >= 0 {
			list[i].n++
		} else {
			list = append(list, entry{w, 1})
		}
	}
	return list
}

// find gives the index of a word.
func find(list []entry, word string) int {
	for i := range list {
		if strings.EqualFold(list[i].word, word) {
			return i
		}
	}
	return -1
}

// top sorts the most frequent words first, and gives the first n.
func top(list []entry, n int) []entry {
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.word, b.word)) })
	return list[:min(n, len(list))]
}
