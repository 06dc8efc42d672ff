//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package recorder

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryLeft(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"memory/memory.limit_in_bytes":     "9223372036854771712\n", // none
		"memory/memory.usage_in_bytes":     "5000000\n",
		"memory/a/memory.limit_in_bytes":   "1000000\n",
		"memory/a/memory.usage_in_bytes":   "400000\n",
		"memory/a/memory.stat":             "inactive_file 1\ntotal_inactive_file 100000\n",
		"memory/a/b/memory.limit_in_bytes": "900000\n",
		"memory/a/b/memory.usage_in_bytes": "1\n",
		"c/memory.max":                     "max\n",
		"c/memory.current":                 "400\n",
		"c/d/memory.max":                   "1000\n",
		"c/d/memory.current":               "400\n",
		"c/d/memory.stat":                  "anon 5\ninactive_file 30\nactive_file 1\n",
		"memory.max":                       "5000\n",
		"memory.current":                   "6000\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		membership string
		want       int64
	}{
		{"", math.MaxInt64},
		{"5:cpu:/a\n", math.MaxInt64},
		{"5:cpu:/a\n4:memory:/a/b\n", 700000},               // of its parent
		{"4:memory:/a/b/there/is/none\n3:pids:/\n", 700000}, // what is there
		{"0::/c/d\n", 0},                                    // the root's, which is over its limit
	} {
		if got := memoryLeft(root, c.membership); got != c.want {
			t.Errorf("memoryLeft(%q) = %d, want %d", c.membership, got, c.want)
		}
	}
	os.Remove(filepath.Join(root, "memory.max"))
	if got := memoryLeft(root, "0::/c/d\n"); got != 630 {
		t.Errorf("memoryLeft = %d, want 630", got)
	}
}
