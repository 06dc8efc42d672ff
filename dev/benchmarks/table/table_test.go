package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []string{"a", "b"}, [][]string{{"1", "x|y"}}); err != nil {
		t.Fatal(err)
	}
	if want := "| a | b |\n|---|---|\n| 1 | x\\|y |\n\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := Write(&b, []string{"a", "b"}, [][]string{{"1"}}); err == nil {
		t.Error("a row with too few cells: no error")
	}
}

func TestInsert(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte("before\n<!-- A: by make. -->\nold\n<!-- END A -->\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := Insert(file, "A", "new\n"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := "before\n<!-- A: by make. -->\n\nnew\n\n<!-- END A -->\nafter\n"; string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := Insert(file, "B", "new"); err == nil || !strings.Contains(err.Error(), "<!-- B: ") {
		t.Errorf("no markers: got %v, want an error that names them", err)
	}
}
