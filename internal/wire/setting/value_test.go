package setting

import (
	"math"
	"strconv"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		want       Value
	}{
		{"record", "", Value{N: 1}}, {"record", "true", Value{N: 1}}, {"record", "0", Value{}},
		{"i", "5", Value{N: 5e9, Text: "5"}}, {"i", "500ms", Value{N: 500e6, Text: "500ms"}}, {"i", "0", Value{Text: "0"}}, {"i", "1.5", Value{N: 15e8, Text: "1.5"}}, {"top", "0", Value{Text: "0"}},
		{"buffers", "4MiB", Value{N: 4 << 20, Text: "4MiB"}},
		{"window", "500ms", Value{N: 500e6, Text: "500ms"}},
		{"overflow", "ring", Value{N: 2, Text: "ring"}},
		{"o", "a", Value{Text: "a"}},
		{"seen", "", Value{N: 1}}, {"seen", "0", Value{}}, {"seen", "a", Value{N: 1, Text: "a"}},
		{"p", "main.*", Value{Text: "main.*"}}, {"keep", "all", Value{Text: "all"}},
		{"budget", "10%", Value{Text: "10%", Share: 0.1}}, {"budget", "10", Value{Text: "10%", Share: 0.1}}, {"budget", "1000%", Value{Text: "1000%", Share: 10}},
		{"budget", "0.5%", Value{Text: "0.5%", Share: 0.005}}, {"budget", "0", Value{Text: "0%", Share: 0}}, {"budget", "none", Value{}},
		{"budget", "3%,strict", Value{Text: "3%,strict", Share: 0.03, Strict: true}},
		{"budget", "1e2%", Value{Text: "1e2%", Share: 1}},
	} {
		if got, err := Find(tt.key).Parse(tt.key, tt.value); got != tt.want || err != nil {
			t.Errorf("%s=%s: %+v, %v; want %+v", tt.key, tt.value, got, err, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	const share = "want a share of the program's CPU time, as in 10% or 3%,strict; or 0, which only counts calls; or none"
	for _, tt := range []struct{ key, value, want string }{
		{"record", "perhaps", "record=perhaps: want 1 or 0"},
		{"d", "5", "d=5: want 0 to 4"},
		{"i", "-1", "i=-1: want 0 or a time, as in 10s"}, {"i", "1m5", "i=1m5: want 0 or a time, as in 10s"},
		{"top", "2147483648", "top=2147483648: want 0 to 2147483647"},
		{"arg-depth", "x", "arg-depth=x: want 0 to 10"},
		{"overflow", "wait", "overflow=wait: want block, drop or ring"},
		{"names", "long", "names=long: want short or full"},
		{"buffers", "1MiB", "buffers=1MiB: want at least 2097152 bytes, and what memory holds"},
		{"buffers", "much", "buffers=much: want a number of bytes, as in 65536, 64MB or 64MiB"},
		{"max-size", "1000", "max-size=1000: want at least 1000000 bytes"},
		{"max-size", "-1", "max-size=-1: want a number of bytes, as in 65536, 64MB or 64MiB"},
		{"disk", "1MB", "disk=1MB: want at least 64000000 bytes"},
		{"rotate", "0", "rotate=0: want the number of parts to keep, 1 or more"},
		{"window", "0", "window=0: want a time above 0, as in 10s or 500ms"},
		{"timeout", "-1s", "timeout=-1s: want a time above 0, as in 10m"},
		{"budget", "much", "budget=much: " + share}, {"budget", "-3%", "budget=-3%: " + share},
		{"o", "", "o: want the path of a file"},
		{"p", "", "p: want a pattern, as in mymod/..., mymod/pkg.Func or @Group"},
		{"window", "", "window=: want a time above 0, as in 10s or 500ms"},
	} {
		if _, err := Find(tt.key).Parse(tt.key, tt.value); err == nil || err.Error() != tt.want {
			t.Errorf("%s=%s: %v, want %s", tt.key, tt.value, err, tt.want)
		}
	}
	for _, text := range []string{"", "%", "-0.1", "ten", "10%%", "10 %", "NaN", "Inf", "+Inf%", "1e400", "10ms", "None"} {
		if got, err := Find("budget").Parse("budget", text); err == nil {
			t.Errorf("budget=%s: %+v, want an error", text, got)
		}
	}
}

// Keys are different, defaults can be parsed, and say what the packages do that have no table.
func TestTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, key := range Keys() {
		if seen[key] || Find(key) == nil || Find(key).Key != key && Find(key).Short != key {
			t.Errorf("%s stands twice, or is not found", key)
		}
		seen[key] = true
	}
	for _, s := range All {
		if _, err := s.Parse(s.Key, s.Default); s.Default != "" && err != nil {
			t.Errorf("the default: %v", err)
		}
		if s.Of == 0 || s.Kind == Number && (s.Most == 0 || s.Most == math.MaxInt && s.Want == "") || (s.Kind == Duration || s.Kind == Share) && s.Want == "" {
			t.Errorf("%s: want what it is of, and bounds, or what is wanted", s.Key)
		}
	}
	if s := Find(""); s != nil {
		t.Errorf("no key is %s", s.Key)
	}
	if Find("arg-depth").Default != strconv.Itoa(format.DefaultDepth) || Find("arg-bytes").Default != strconv.Itoa(format.DefaultBytes) {
		t.Error("values have other defaults in package format")
	}
}
