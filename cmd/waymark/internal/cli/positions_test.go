package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
)

func TestPositions(t *testing.T) {
	dir := t.TempDir()
	original, rewritten := filepath.Join(dir, "m", "a.go"), filepath.Join(dir, "cache", "0123.go")
	const text = "package a\n\nfunc F() int { x := 1; return undefined }\nvar v = missing\n"
	buf := edit.NewBuffer([]byte(text))
	buf.Insert(strings.Index(text, "x :="), "enter(); ")
	buf.Insert(strings.Index(text, "return"), "{ leave(); ")
	buf.Insert(strings.Index(text, " }"), " }")
	edited, err := buf.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{original: text, rewritten: string(edited)} {
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
		// Before the first insertion and between two.
		{"R:3:15: declared\n", "./a.go:3:15: declared\n"},
		{"R:3:26: declared and not used: x\n", "./a.go:3:17: declared and not used: x\n"},
		{"R:3:17: inserted\n", "./a.go:3: inserted\n"},
		{"../cache/0123.go:4:9: relative\n", "./a.go:4:9: relative\n"},
		{"R:3:62: end\n", "./a.go:3:40: end\n"}, // behind the last
		{"R:3: no column\n", "./a.go:3: no column\n"},
		{"R: no line", "./a.go: no line"},
		{"R:99:1: far\n", "./a.go:99: far\n"},
		{`{"Output":"R:4:9: x\n"}` + "\n", `{"Output":"./a.go:4:9: x\n"}` + "\n"},
		{"other.go:3:4: its own\n", "other.go:3:4: its own\n"},
	} {
		for size := 1; size <= len(say(c.in)); size += 7 { // however it arrives
			var out strings.Builder
			p := newPositions(&out, filepath.Join(dir, "m"), map[string]string{original: rewritten}, []build.File{{Cached: rewritten, Runs: buf.Runs()}})
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
