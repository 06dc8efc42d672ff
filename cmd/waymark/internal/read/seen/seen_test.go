package seen

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Of a large file that is none of WAYMARK=seen only the beginning is read.
func TestReadOther(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large.wmt")
	if err := os.WriteFile(name, []byte("waymark\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 256<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read([]string{name})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, format.ErrNotSeen) {
		t.Errorf("error %v, want %v", err, format.ErrNotSeen)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("reading took %d bytes, want less than 1 MB", took)
	}
}
