package cli

import "testing"

func TestShortage(t *testing.T) {
	for message, want := range map[string]string{
		"# example.com/m\nlink: mapping output file failed: no space left on device\n": "no space left on device",
		"/usr/bin/ld: final link failed: No space left on device\n":                    "no space left on device",
		"example.com/m: compile: signal: killed\n":                                     "signal: killed",
		"# example.com/m\n./main.go:3:4: undefined: x\n":                               "",
	} {
		if got := shortage(message); got != want {
			t.Errorf("%q: got %q; want %q", message, got, want)
		}
	}
}
