package report

import (
	"testing"

	"github.com/waymark-go/waymark/internal/function"
)

// The function that the line names is named as those of the table are: patterns take it so.
func TestTinyLine(t *testing.T) {
	rows := []*Row{{Func: function.Func{Tiny: []string{"example.com/shop/internal/cache.LRU.full", "example.com/shop/search.key"}}}}
	for full, want := range map[bool]string{
		false: "2 tiny functions called by these left out (in self time): --all shows them, --include cache.LRU.full one",
		true:  "2 tiny functions called by these left out (in self time): --all shows them, --include example.com/shop/internal/cache.LRU.full one",
	} {
		if got := New(Options{FullNames: full}).tinyLine(rows); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
