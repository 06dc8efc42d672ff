package search

import (
	"slices"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Kettle", "kettle"},
		{"KETTLES", "kettle"},
		{"berries", "berry"},
		{"dishes", "dishe"},
		{"shoes", "shoe"},
		{"glass", "glass"},
		{"cactus", "cactus"},
		{"gas", "gas"},
		{"Crème", "creme"},
		{"jalapeño's", "jalapeno"},
		{"don’t", "don"},
		{"Straße", "straße"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Normalize(tt.in); got != tt.want {
			t.Errorf("Normalize(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTokens(t *testing.T) {
	text := "The chef's cafés — and 2 kettles"
	var terms, source []string
	var pos []int
	for tok := range Tokens(text) {
		terms = append(terms, tok.Term)
		source = append(source, text[tok.Start:tok.End])
		pos = append(pos, tok.Pos)
	}
	if want := []string{"chef", "cafe", "2", "kettle"}; !slices.Equal(terms, want) {
		t.Errorf("terms = %q, want %q", terms, want)
	}
	if want := []string{"chef's", "cafés", "2", "kettles"}; !slices.Equal(source, want) {
		t.Errorf("source = %q, want %q", source, want)
	}
	if want := []int{1, 2, 4, 5}; !slices.Equal(pos, want) {
		t.Errorf("positions = %v, want %v", pos, want)
	}
}

func TestShortestSpan(t *testing.T) {
	tests := []struct {
		lists [][]int
		want  int
	}{
		{[][]int{{3}}, 1},
		{[][]int{{0, 10}, {8}}, 3},
		{[][]int{{0, 9}, {5, 20}, {7, 21}}, 5},
		{[][]int{{1}, {2}, {100}}, 100},
	}
	for _, tt := range tests {
		if got := shortestSpan(tt.lists...); got != tt.want {
			t.Errorf("shortestSpan(%v) = %d, want %d", tt.lists, got, tt.want)
		}
	}
}

func newTestIndex() *Index {
	ix := NewIndex(16)
	ix.Add(
		Document{"k1", "Copper kettle", "Boils water on any stove. A kettle for life."},
		Document{"k2", "Travel cup", "Goes well with a kettle. Not made of copper."},
		Document{"t1", "Tea towel", "Dries a kettle, cups and plates."},
		Document{"b1", "Garden bench", "Oak, seats three."},
	)
	return ix
}

func TestSearch(t *testing.T) {
	ix := newTestIndex()
	tests := []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"one word", "bench", 5, []string{"b1"}},
		{"normalised", "BENCHÉS oaks", 5, []string{"b1"}},
		{"proximity first", "copper kettles", 5, []string{"k1", "k2", "t1"}},
		{"limit", "copper kettles", 1, []string{"k1"}},
		{"repeated word", "cups cup cups", 5, []string{"t1", "k2"}},
		{"no such word", "trampoline", 5, nil},
		{"only stop words", "the of and", 5, nil},
		{"empty", "", 5, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ids []string
			for _, h := range ix.Search(Query{Text: tt.text, Limit: tt.limit}) {
				ids = append(ids, h.ID)
			}
			if !slices.Equal(ids, tt.want) {
				t.Errorf("Search(%q) = %q, want %q", tt.text, ids, tt.want)
			}
		})
	}
}

func TestSnippet(t *testing.T) {
	ix := newTestIndex()
	hits := ix.Search(Query{Text: "towels plate", Limit: 1})
	if len(hits) != 1 {
		t.Fatalf("hits = %v", hits)
	}
	if want := "**towel**. Dries a kettle, cups and **plates**"; hits[0].Snippet != want {
		t.Errorf("snippet = %q, want %q", hits[0].Snippet, want)
	}
	for _, h := range ix.Search(Query{Text: "kettle", Limit: 5}) {
		if !strings.Contains(strings.ToLower(h.Snippet), "**kettle**") {
			t.Errorf("snippet of %s marks no match: %q", h.ID, h.Snippet)
		}
	}
}
