package cli

import (
	"fmt"
	"testing"
)

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

// The compiler's words of packages that it rejects in plain builds too are left to the plain build.
func TestOnlyRewritten(t *testing.T) {
	const (
		runtime = "# runtime\n/cache/1.go:7:3: undefined: wm\n"
		users   = "# example.com/m [example.com/m.test]\n./main.go:3:4: undefined: x\n\thave y\n"
		fault   = "with waymark these packages do not compile: %s: " + isOurs
	)
	for _, tt := range []struct{ name, said, plain, text, packages string }{
		{"the user's alone", users, "# example.com/m\n./main.go:3:2: undefined: x\n", "", ""},
		{"runtime and the user's", runtime + users, users, runtime, "runtime"},
		{"the go command refuses", runtime, "main.go:3:8: missing go.sum entry for module\n", runtime, "runtime"},
		{"two of ours", users + runtime, "", users + runtime, "example.com/m, runtime"},
		{"the linker", "# example.com/m\nlink: relocation target x not defined\n", "", "", ""},
	} {
		var want string
		if tt.packages != "" {
			want = fmt.Sprintf(fault, tt.packages)
		}
		text, got := onlyRewritten(rejections(tt.said), tt.plain)
		if text != tt.text || got != want {
			t.Errorf("%s: got text %q and fault %q; want %q and %q", tt.name, text, got, tt.text, want)
		}
	}
}
