package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPositions(t *testing.T) {
	dir := t.TempDir()
	original, rewritten := filepath.Join(dir, "m", "a.go"), filepath.Join(dir, "cache", "0123.go")
	for file, text := range map[string]string{
		original:  "package a\n\nfunc F() int { x := 1; return undefined }\nvar v = missing\n",
		rewritten: "package a\n\nfunc F() int { enter(); x := 1; { leave(); return undefined } }\nvar v = missing\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	say := func(line string) string { return strings.ReplaceAll(line, "R", rewritten) }
	for _, c := range []struct{ in, want string }{
		{"R:4:9: undefined: missing\n", "./a.go:4:9: undefined: missing\n"},
		{"R:3:15: declared\n", "./a.go:3:15: declared\n"},                              // before the first insertion
		{"R:3:26: declared and not used: x\n", "./a.go:3: declared and not used: x\n"}, // between two
		{"R:3:62: end\n", "./a.go:3:40: end\n"},                                        // behind the last
		{"R:3: no column\n", "./a.go:3: no column\n"},
		{"R: no line", "./a.go: no line"},
		{"R:99:1: far\n", "./a.go:99: far\n"},
		{`{"Output":"R:4:9: x\n"}` + "\n", `{"Output":"./a.go:4:9: x\n"}` + "\n"},
		{"other.go:3:4: its own\n", "other.go:3:4: its own\n"},
	} {
		for size := 1; size <= len(say(c.in)); size += 7 { // however it arrives
			var out strings.Builder
			p := newPositions(&out, filepath.Join(dir, "m"), map[string]string{original: rewritten})
			for rest := say(c.in); rest != ""; {
				n := min(size, len(rest))
				if _, err := p.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := p.Flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Fatalf("%q in pieces of %d: got %q, want %q", c.in, size, out.String(), c.want)
			}
		}
	}
}
