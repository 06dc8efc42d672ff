package recorder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Parts returns what is a part of a rotated recording, by its name and its content.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, meta ...format.KeyValue) string {
		t.Helper()
		b := format.AppendBlock(format.AppendHeader(nil), format.BlockMeta, format.AppendMeta(nil, meta))
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	part := format.KeyValue{Key: format.MetaPart, Value: "1"}
	path := write("a.wmt", part)
	want := []string{write("a.part2.wmt", part), write("a.part10.wmt", part)}
	write("a.part3.wmt")         // a recording that isn't rotated
	write("a.part04.wmt", part)  // a name that no part gets
	write("a.part-5.wmt", part)  //
	write("b.part6.wmt", part)   // another recording's
	write("a.part7.trace", part) //
	if err := os.WriteFile(filepath.Join(dir, "a.part8.wmt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, filepath.Join(dir, "a.part11.wmt")); err != nil {
		t.Fatal(err)
	}
	check := func(want []string) {
		t.Helper()
		if got := Parts(path); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	check(want)

	// When another recording takes its place, parts go, and nothing else.
	next := write("a.wmt.next", part)
	removeParts(path)
	check(nil)
	if _, err := os.Stat(next); err == nil {
		t.Error("a file that has not become a part is still there")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 8 {
		t.Errorf("%d files are left, %v; want 8", len(entries), err)
	}
}
