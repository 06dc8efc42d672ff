package text

import (
	"log/slog"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
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

type (
	secret   string
	password []byte
	token    int // a kind of words, say
	logged   struct{ number string }
	outer    struct {
		Name string
		In   secret
		List []logged
	}
)

func (logged) LogValue() slog.Value { return slog.StringValue("***") }

// Values of types that are named as secrets, or that hide from logs, are masked.
func TestTypeHidden(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{secret("hunter2"), "***"}, {password("hunter2"), "***"}, {token(3), "3"}, {logged{"hunter2"}, "***"},
		{outer{"n", "hunter2", []logged{{"hunter2"}}}, `{Name:n In:*** List:[***]}`}, {[]secret{"hunter2"}, "[***]"},
	} {
		if got := string(Append(nil, c.v)); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
	}
	defer func(before func() []string) { Secrets = before }(Secrets)
	Secrets = func() []string { return nil }
	if got := string(Append(nil, secret("x"))); got != `"x"` {
		t.Errorf("without words: %s", got)
	}
}
