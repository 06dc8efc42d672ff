package levels

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestElsewhere checks that the index is in the cache if it can't be beside the recording, because the
// file system is read-only or full.
func TestElsewhere(t *testing.T) {
	rec := made(rand.New(rand.NewSource(1)), 20_000).Bytes()
	for _, how := range []string{"read-only", "full"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
				t.Skipf("a file system can't be mounted: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
			path := filepath.Join(dir, "app.wmt")
			if err := os.WriteFile(path, rec, 0o600); err != nil {
				t.Fatal(err)
			}
			if how == "full" {
				os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<20), 0o600) // as far as it goes
			} else if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=1m"); err != nil {
				t.Fatal(err)
			}
			p := openAt(t, path)
			if _, err := Open(t.Context(), p, Options{}); err == nil || !strings.Contains(err.Error(), "WAYMARKCACHE") {
				t.Errorf("without a cache the error is %v, want what to set", err)
			}
			o := Options{Cache: filepath.Join(t.TempDir(), "cache", "levels")}
			for _, isNew := range []bool{true, false} {
				x, err := Open(t.Context(), p, o)
				if err != nil {
					t.Fatal(err)
				}
				if x.New != isNew || filepath.Dir(x.Path) != o.Cache {
					t.Errorf("new %v, at %s; want new %v, in %s", x.New, x.Path, isNew, o.Cache)
				}
				x.Close()
			}
			left, err := filepath.Glob(filepath.Join(dir, "*.levels*"))
			if len(left) > 0 || err != nil {
				t.Errorf("%q, %v are left beside the recording", left, err)
			}
		})
	}
}
