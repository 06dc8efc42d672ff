package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDiskMeter: the most that there was at a moment counts, of matching folders, without holes.
func TestDiskMeter(t *testing.T) {
	top := t.TempDir()
	write := func(dir string, n int) string {
		dir = filepath.Join(top, dir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, make([]byte, n), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	m := startDiskMeter(filepath.Join(top, "waymark-*"))
	gone := write("waymark-1", 3<<20)
	write("other", 64<<20)
	time.Sleep(10 * diskPeriod)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(write("waymark-2/deep", 1<<20), 1<<40); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * diskPeriod)
	if n := m.end(); n < 3<<20 || n > 4<<20 {
		t.Errorf("got %d bytes, want the 3 MiB that were there first, with folders", n)
	}
}
