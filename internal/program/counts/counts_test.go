package counts

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// TestTell follows tests that wait for others, have subtests, and run side by side.
func TestTell(t *testing.T) {
	var got strings.Builder
	now := make([]counted, 2)
	tests := newTests("p", func(line []byte) error {
		b, _, _ := strings.Cut(string(line), `"on"`)
		_, functions, _ := strings.Cut(string(line), `CPU`)
		got.WriteString(b + functions)
		return nil
	})
	tests.read = func() []counted { return append([]counted(nil), now...) }
	tests.name = func(site int) string { return string(rune('F' + site)) }
	for _, step := range []struct {
		calls uint64 // of the first function, before
		state format.TestState
		name  string
	}{
		{7, format.TestBegins, "A"}, {1, format.TestPauses, "A"},
		{20, format.TestBegins, "B"}, {2, format.TestBegins, "B/sub"}, {3, format.TestPasses, "B/sub"}, {4, format.TestPasses, "B"},
		{30, format.TestContinues, "A"}, {5, format.TestErrs, "A"}, {6, format.TestFails, "A"},
		{40, format.TestBegins, "C"}, {0, format.TestBegins, "D"}, {8, format.TestPasses, "D"}, {1, format.TestSkips, "C"},
	} {
		now[0].calls += step.calls
		now[1].objects += 2 * step.calls
		tests.Tell(step.state, step.name)
	}
	text := got.String()
	for _, want := range []string{
		`"test":"A",` + "\x00" + `{"name":"F","calls":1,"objects":0},{"name":"G","calls":0,"objects":2}`,
		`"test":"B",` + "\x00" + `{"name":"F","calls":9,"objects":0},{"name":"G","calls":0,"objects":18}`,
		`"test":"A",` + "\x00" + `{"name":"F","calls":11,"objects":0},{"name":"G","calls":0,"objects":22}`,
		`"test":"D",` + "\x00" + `"overlapped":true,"functions":[{"name":"F","calls":8,"objects":0}`,
		`"test":"C",` + "\x00" + `"overlapped":true,"functions":[{"name":"F","calls":9,"objects":0}`,
	} {
		head, tail, _ := strings.Cut(want, "\x00")
		_, rest, ok := strings.Cut(text, head)
		line, _, _ := strings.Cut(rest, "\n")
		if !ok || !strings.Contains(line, tail) {
			t.Errorf("want %s with %s, got\n%s", head, tail, got.String())
		}
		text = rest
	}
}
