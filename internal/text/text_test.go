package text

import (
	"testing"

	"github.com/waymark-go/waymark/internal/rt"
)

// A masked value is reported; a value of the program that looks like a mask is not.
func TestMasked(t *testing.T) {
	type account struct {
		Owner    string
		Password string
	}
	for _, c := range []struct {
		list   []any
		want   string
		masked bool
	}{
		{nil, "", false},
		{[]any{"***", 1}, `"***", 1`, false},
		{[]any{rt.Masked{}, 1}, "***, 1", true},
		{[]any{1, []account{{"eve", "x"}}}, `1, [{Owner:eve Password:***}]`, true},
	} {
		got, masked := AppendMasked([]byte("f("), c.list)
		if string(got) != "f("+c.want || masked != c.masked {
			t.Errorf("got %s, masked %v; want f(%s, %v", got, masked, c.want, c.masked)
		}
	}
}
