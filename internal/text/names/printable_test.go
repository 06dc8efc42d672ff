package names

import (
	"reflect"
	"testing"
)

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                                "",
		"example.com/m.(*T[...]).M":       "example.com/m.(*T[...]).M",
		"größe.世界":                        "größe.世界",
		`C:\dir "x"`:                      `C:\dir "x"`,
		"a\x1b]0;title\x07b":              `a\x1b]0;title\ab`,
		"row\n   7  forged":               `row\n   7  forged`,
		"a\rb\tc\x7f\x00":                 `a\rb\tc\x7f\x00`,
		"\u202eevil\u2028\u009b31m\u00ad": `\u202eevil\u2028\u009b31m\u00ad`,
		"bad\xffbyte \ufffd":              `bad\xffbyte ` + "\ufffd",
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
		if got := Printable(want); got != want {
			t.Errorf("%q again: %q", want, got)
		}
	}
	if got, want := PrintableLines("a\n\tb\r\x1b"), "a\n\tb"+`\r\x1b`; got != want {
		t.Errorf("lines: %q, want %q", got, want)
	}
}

func TestMakePrintable(t *testing.T) {
	type inner struct {
		Name  string
		Bytes []byte
		n     int
	}
	type outer struct {
		Name string
		List []string
		In   *inner
		Nil  *inner
		All  []inner
		Map  map[string][]string
		N    [3]int
		Text string `text:"lines"`
	}
	const bad, good = "a\x1b", `a\x1b`
	got := outer{bad, []string{bad}, &inner{Name: bad, Bytes: []byte(bad)}, nil, []inner{{Name: bad}}, map[string][]string{bad: {bad}}, [3]int{1}, "a\n\x1b"}
	want := outer{good, []string{good}, &inner{Name: good, Bytes: []byte(bad)}, nil, []inner{{Name: good}}, map[string][]string{good: {good}}, [3]int{1}, "a\n\\x1b"}
	if MakePrintable(&got); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
