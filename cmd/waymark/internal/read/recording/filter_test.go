package recording

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseWindow(t *testing.T) {
	for _, tt := range []struct {
		text     string
		from, to time.Duration
		err      string
	}{
		{"1.5s..2s", 1500 * time.Millisecond, 2 * time.Second, ""},
		{"..10ms", 0, 10 * time.Millisecond, ""},
		{"10ms..", 10 * time.Millisecond, 0, ""},
		{"10ms", 0, 0, `time window "10ms": want FROM..TO, as in 1.5s..2s`},
		{"2..3s", 2 * time.Second, 3 * time.Second, ""},
		{"0.5..1", 500 * time.Millisecond, time.Second, ""},
		{"x..3s", 0, 0, `time window "x..3s": "x" is not a time since the start, as in 1.5s`},
		{"3s..2s", 0, 0, `time window "3s..2s": ends before it begins`},
	} {
		from, to, err := ParseWindow(tt.text)
		if from != tt.from || to != tt.to || message(err) != tt.err {
			t.Errorf("ParseWindow(%q) = %v, %v, %v", tt.text, from, to, err)
		}
	}
}

func TestParseGoroutines(t *testing.T) {
	ids, err := ParseGoroutines("1, 17,42/3,42#2/3")
	if diff := cmp.Diff([]GoroutineID{{"", 1}, {"", 17}, {"42", 3}, {"42#2", 3}}, ids); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, text := range []string{"", "0", "main", "1,,2", "/1", "42/", "42/x"} {
		if _, err := ParseGoroutines(text); err == nil {
			t.Errorf("ParseGoroutines(%q) gave no error", text)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
