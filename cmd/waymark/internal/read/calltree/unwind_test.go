package calltree

import (
	"fmt"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// Calls that are over are ended with those inside, and the goroutine goes on outside.
func TestUnwind(t *testing.T) {
	for _, c := range []struct {
		over uint32 // the least token of calls that are over
		want []string
	}{
		{100, []string{"C 4", "B 5", "A 6"}},
		{30, []string{"C 9 cut", "B 5", "A 6"}},
		{20, []string{"C 9 cut", "B 9 cut", "A 6"}},
		{0, []string{"C 9 cut", "B 9 cut", "A 9 cut"}},
	} {
		var got []string
		b := New(Options{OnCall: func(c *Call) {
			text := fmt.Sprintf("%c %d", 'A'+rune(c.Site)-1, c.End)
			if c.Flags&Cut != 0 {
				text += " cut"
			}
			got = append(got, text)
		}})
		events, err := calltreetest.Events("A10 B20 C30 c30 b20 a10")
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if i == 3 {
				b.Unwind(1, 9, func(token, _ uint32) bool { return token >= c.over })
				b.Unwind(2, 9, func(uint32, uint32) bool { return true }) // there is no such goroutine
			}
			b.Add(&events[i])
		}
		b.Close(10)
		if !slices.Equal(got, c.want) {
			t.Errorf("tokens from %d are over: calls %q, want %q", c.over, got, c.want)
		}
	}
}
