package edit

import (
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	const text = "0123456789"
	tests := []struct {
		name string
		edit func(*Buffer)
		want string
	}{
		{"none", func(b *Buffer) {}, text},
		{"insert", func(b *Buffer) { b.Insert(3, "abc") }, "012abc3456789"},
		{"insert at both ends", func(b *Buffer) { b.Insert(10, ">"); b.Insert(0, "<") }, "<0123456789>"},
		{"inserts keep their order", func(b *Buffer) { b.Insert(5, "a"); b.Insert(5, "b"); b.Insert(5, "c") }, "01234abc56789"},
		{"insert before a replacement", func(b *Buffer) { b.Replace(2, 4, "X"); b.Insert(2, "a") }, "01aX456789"},
		{"insert after a replacement", func(b *Buffer) { b.Insert(4, "a"); b.Replace(2, 4, "X") }, "01Xa456789"},
		{"delete", func(b *Buffer) { b.Delete(0, 4); b.Delete(4, 9) }, "9"},
		{"delete nothing", func(b *Buffer) { b.Delete(4, 4) }, text},
		{"any order of calls", func(b *Buffer) { b.Replace(8, 9, "Z"); b.Delete(1, 2); b.Insert(5, "-") }, "0234-567Z9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuffer([]byte(text))
			tt.edit(b)
			// Twice, because Bytes must leave the queue as it was.
			for range 2 {
				got, err := b.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Buffer)
		want string
	}{
		{"overlap", func(b *Buffer) { b.Replace(1, 4, "a"); b.Replace(3, 5, "b") }, `edit [3,5)->"b" overlaps edit [1,4)->"a"`},
		{"same bytes twice", func(b *Buffer) { b.Delete(1, 4); b.Delete(1, 4) }, "overlaps"},
		{"insert inside a replacement", func(b *Buffer) { b.Replace(1, 4, "a"); b.Insert(2, "b") }, "overlaps"},
		{"before the text", func(b *Buffer) { b.Insert(-1, "a") }, "outside the text of 6 bytes"},
		{"behind the text", func(b *Buffer) { b.Delete(5, 7) }, "outside the text of 6 bytes"},
		{"backwards", func(b *Buffer) { b.Replace(3, 2, "a") }, "outside the text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuffer([]byte("012345"))
			tt.edit(b)
			got, err := b.Bytes()
			if err == nil {
				t.Fatalf("no error, got %q", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}

func TestChanged(t *testing.T) {
	b := NewBuffer(nil)
	if b.Changed() {
		t.Error("a new Buffer is changed")
	}
	b.Insert(0, "x")
	if !b.Changed() {
		t.Error("an insertion is no change")
	}
}
