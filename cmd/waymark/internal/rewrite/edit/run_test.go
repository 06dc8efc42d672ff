package edit

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

func TestRuns(t *testing.T) {
	b := NewBuffer([]byte("0123456789"))
	b.Insert(0, "<")
	b.Replace(2, 4, "XYZ")
	b.Insert(4, "a")
	b.Delete(4, 5)
	b.Insert(10, ">")
	want := []Run{{0, 1, 2}, {5, 7, 5}} // <01XYZa56789>
	if diff := cmp.Diff(want, b.Runs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := NewBuffer(nil).Runs(); got != nil {
		t.Errorf("runs of no text: %v", got)
	}
}

// The runs of one text are equal to those of another. Whatever lies between them is not in
// the other: every byte of the text and of the edited one differs from all others.
func TestCompose(t *testing.T) {
	r := seed.Rand(t, rand.Uint64())
	next := byte(0)
	text := func(n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = next
			next++
		}
		return out
	}
	change := func(b *Buffer, size int) {
		for at := 0; at <= size; {
			at += r.Intn(6)
			end := at + r.Intn(3)
			if end > size {
				return
			}
			b.Replace(at, end, string(text(r.Intn(3))))
			at = end
		}
	}
	for range 1000 {
		next = 0
		old := text(30)
		first := NewBuffer(old)
		change(first, len(old))
		middle, err := first.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		then := NewBuffer(middle)
		change(then, len(middle))
		final, err := then.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var want []Run
		for i, b := range old {
			for j, c := range final {
				if b == c {
					want = appendRun(want, Run{i, j, 1})
				}
			}
		}
		if diff := cmp.Diff(want, Compose(first.Runs(), then.Runs())); diff != "" {
			t.Fatalf("%v, then %v (-want +got):\n%s", first.edits, then.edits, diff)
		}
	}
}
