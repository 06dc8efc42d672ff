package replay

import (
	"testing"
	"unicode/utf8"
)

// A line that a terminal has no room for keeps what it is about. That is the name at its
// beginning, and the brace or the name at its end.
func TestCut(t *testing.T) {
	for _, tt := range []struct {
		line, end string
		width     int
		want      string
	}{
		{"main.f(a=1) {", " {", 0, "main.f(a=1) {"},
		{"main.f(a=1) {", " {", 13, "main.f(a=1) {"},
		{"main.f(a=1, b=2) {", " {", 13, "main.f(a=1… {"},
		{"main.f(a=1, b=2);", "", 13, "main.f(a=1, …"},
		{"} = (äöü, 2, 3); /* main.f */", " /* main.f */", 26, "} = (äöü, 2,… /* main.f */"},
		{"} = (1, 2, 3); /* main.f */", " /* main.f */", 13, "} = (1, 2, 3…"},
	} {
		s := Options{Columns: tt.width}
		got := string(s.cut([]byte(tt.line), tt.end))
		if got != tt.want || tt.width > 0 && utf8.RuneCountInString(got) > tt.width {
			t.Errorf("%q in %d columns: %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}
