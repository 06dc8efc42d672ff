package kv

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func mustOpen(t *testing.T, dir string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustPut(t *testing.T, s *Store, key, value string) {
	t.Helper()
	if err := s.Put(key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, s *Store) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := s.Scan("", func(k string, v []byte) error { m[k] = string(v); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPutGetDelete(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	mustPut(t, s, "a", "1")
	mustPut(t, s, "b", "2")
	mustPut(t, s, "a", "3")
	mustPut(t, s, "empty", "")
	for _, key := range []string{"b", "never"} {
		if err := s.Delete(key); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"a": "3", "empty": ""}
	if got := contents(t, s); !maps.Equal(got, want) {
		t.Errorf("contents = %q, want %q", got, want)
	}
	if _, err := s.Get("b"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get of a deleted key: %v", err)
	}
	mustClose(t, s)
	if err := s.Put("a", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Put on a closed store: %v", err)
	}
	if got := contents(t, mustOpen(t, dir)); !maps.Equal(got, want) {
		t.Errorf("contents after reopening = %q, want %q", got, want)
	}
}

func TestRecovery(t *testing.T) {
	want := map[string]string{"a": "alpha", "b": "beta"}
	tests := []struct {
		name   string
		damage func(log []byte) []byte
		want   map[string]string // nil if Open must fail
	}{
		{"none", func(b []byte) []byte { return b }, map[string]string{"a": "alpha", "b": "beta", "c": "last"}},
		{"torn value", func(b []byte) []byte { return b[:len(b)-1] }, want},
		{"missing value", func(b []byte) []byte { return b[:len(b)-len("clast")] }, want},
		{"torn header", func(b []byte) []byte { return b[:len(b)-len("clast")-5] }, want},
		{"bad checksum at the end", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, want},
		{"bad checksum within", func(b []byte) []byte { b[headerSize+1] ^= 1; return b }, nil},
		{"absurd length", func(b []byte) []byte { b[8] = 0xff; return b }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir)
			mustPut(t, s, "a", "alpha")
			mustPut(t, s, "b", "beta")
			mustPut(t, s, "c", "last")
			mustClose(t, s)

			path := filepath.Join(dir, logName)
			log, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tt.damage(log), 0o644); err != nil {
				t.Fatal(err)
			}

			s, err = Open(dir)
			if tt.want == nil {
				if corrupt, ok := errors.AsType[*CorruptError](err); !ok || corrupt.Offset != 0 {
					t.Fatalf("Open: %v, want a CorruptError at offset 0", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			mustPut(t, s, "d", "after")
			mustClose(t, s)

			after := maps.Clone(tt.want)
			after["d"] = "after"
			if got := contents(t, mustOpen(t, dir)); !maps.Equal(got, after) {
				t.Errorf("contents = %q, want %q", got, after)
			}
		})
	}
}

func TestCompaction(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, WithMinGarbage(1024))
	want := map[string]string{}
	for i := range 500 {
		k, v := fmt.Sprintf("key-%d", i%7), fmt.Sprintf("value-%d", i)
		mustPut(t, s, k, v)
		want[k] = v
	}
	if got := contents(t, s); !maps.Equal(got, want) {
		t.Errorf("contents = %q, want %q", got, want)
	}
	mustClose(t, s)
	log, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil || len(log) > 2048 {
		t.Errorf("log is %d bytes, %v, want it compacted", len(log), err)
	}
	if got := contents(t, mustOpen(t, dir)); !maps.Equal(got, want) {
		t.Errorf("contents after reopening = %q, want %q", got, want)
	}
}

func TestTable(t *testing.T) {
	type point struct{ X, Y int }
	s := mustOpen(t, t.TempDir())
	points, names := NewTable[point](s, "point"), NewTable[string](s, "name")
	for i := range 3 {
		if err := points.Put(fmt.Sprint(i), point{i, i * i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := names.Put("1", "one"); err != nil {
		t.Fatal(err)
	}
	if p, err := points.Get("2"); p != (point{2, 4}) || err != nil {
		t.Errorf("Get = %v, %v", p, err)
	}
	if _, err := names.Get("2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get from the other table: %v", err)
	}
	var ids []string
	if err := points.Each(func(id string, _ point) error { ids = append(ids, id); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"0", "1", "2"}; !slices.Equal(ids, want) {
		t.Errorf("ids = %q, want %q", ids, want)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := mustOpen(t, t.TempDir(), WithMinGarbage(2048))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				key, value := fmt.Sprintf("%d/%d", g, i%5), fmt.Sprint(i)
				if err := s.Put(key, []byte(value)); err != nil {
					t.Error(err)
				}
				if got, err := s.Get(key); string(got) != value || err != nil {
					t.Errorf("Get(%s) = %q, %v, want %q", key, got, err, value)
				}
			}
		})
	}
	wg.Wait()
}
