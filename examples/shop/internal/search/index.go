// Package search is a full-text index over short documents. Queries are
// answered in two steps. An inverted index yields candidates by their BM25
// score. The best are ranked again by where in their text the query's words
// are.
package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/examples/shop/internal/cache"
)

// A Document is what an [Index] indexes.
type Document struct {
	ID    string
	Title string
	Body  string
}

// A Query is a request to an [Index].
type Query struct {
	Text  string
	Limit int
}

// A Hit is a document that matches a query.
type Hit struct {
	ID      string  `json:"-"`
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet"`
}

// Parameters of BM25, with their customary values.
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// window is how many candidates are ranked again, if more than asked for.
const window = 20

// An Index is a set of documents that can be searched. It is safe for
// concurrent use.
type Index struct {
	mu       sync.RWMutex
	docs     int
	postings map[string][]posting
	words    int // in all documents

	analyses *cache.LRU[string, *analysis]
}

// entry is an indexed document.
type entry struct {
	Document
	words int
}

// posting records that a term is in a document.
type posting struct {
	doc   *entry
	count int
}

// candidate is a document that has words of a query.
type candidate struct {
	doc   *entry
	score float64
}

// NewIndex returns an empty index that keeps up to cacheSize analysed
// documents in memory.
func NewIndex(cacheSize int) *Index {
	return &Index{
		postings: make(map[string][]posting),
		analyses: cache.New[string, *analysis](cacheSize),
	}
}

// Add indexes documents. Their IDs must be distinct.
func (ix *Index) Add(docs ...Document) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, d := range docs {
		e := &entry{Document: d}
		counts := make(map[string]int)
		for tok := range Tokens(e.text()) {
			counts[tok.Term]++
			e.words++
		}
		for term, n := range counts {
			ix.postings[term] = append(ix.postings[term], posting{doc: e, count: n})
		}
		ix.docs++
		ix.words += e.words
	}
}

// Search returns the documents that match q best, the best first.
func (ix *Index) Search(q Query) []Hit {
	terms := queryTerms(q.Text)
	found := ix.candidates(terms)
	if most := max(window, q.Limit); len(found) > most {
		found = found[:most]
	}
	hits := make([]Hit, len(found))
	for i, c := range found {
		a := ix.analysis(q, c.doc)
		hits[i] = Hit{
			ID:      c.doc.ID,
			Score:   c.score * a.boost(terms),
			Snippet: a.snippet(terms),
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), q.Limit)]
}

// queryTerms returns the distinct terms of a query, in order.
func queryTerms(text string) []string {
	var terms []string
	for tok := range Tokens(text) {
		if !slices.Contains(terms, tok.Term) {
			terms = append(terms, tok.Term)
		}
	}
	return terms
}

// candidates returns the documents that have any of terms, those with the
// highest score first.
func (ix *Index) candidates(terms []string) []candidate {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	scores := make(map[*entry]float64)
	for _, term := range terms {
		list := ix.postings[term]
		idf := inverseFrequency(len(list), ix.docs)
		for _, p := range list {
			scores[p.doc] += idf * ix.frequency(p)
		}
	}
	found := make([]candidate, 0, len(scores))
	for doc, score := range scores {
		found = append(found, candidate{doc, score})
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.doc.ID, b.doc.ID))
	})
	return found
}

// frequency is the weight of a term's frequency within a document: it grows
// ever more slowly with each occurrence and is less in long documents.
func (ix *Index) frequency(p posting) float64 {
	average := float64(ix.words) / float64(ix.docs)
	length := 1 - lengthWeight + lengthWeight*float64(p.doc.words)/average
	n := float64(p.count)
	return n * (saturation + 1) / (n + saturation*length)
}

// inverseFrequency is the weight of a term that n of all documents have.
func inverseFrequency(n, all int) float64 {
	return math.Log(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
}

// analysis returns the analysed form of a document, from the cache if it is
// there.
func (ix *Index) analysis(q Query, doc *entry) *analysis {
	a, err := ix.analyses.GetOrLoad(cacheKey(doc.ID, q.Text), func() (*analysis, error) {
		return analyze(doc), nil
	})
	if err != nil {
		panic(err) // analyze does not fail
	}
	return a
}

func cacheKey(parts ...string) string { return strings.Join(parts, "\x00") }

// text is what is indexed of a document.
func (e *entry) text() string { return e.Title + ".\n" + e.Body }
