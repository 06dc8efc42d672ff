package export

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

var others = flag.Bool("readers", false, "check exports with other programs, which npm installs, and exports of a million calls")

// TestReaders checks exports with what their readers publish.
func TestReaders(t *testing.T) {
	if !*others {
		t.Skip("installs programs: use -readers")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "readers"))); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
	file := filepath.Join(dir, "out.json")
	if err := os.WriteFile(file, written(t, "speedscope", record(t, events()), recording.Filter{}), 0o666); err != nil {
		t.Fatal(err)
	}
	run("node", "speedscope.cjs", file)
	t.Run("speedscope", func(t *testing.T) {
		speedscopePage(t, filepath.Join(dir, "node_modules", "speedscope", "dist", "release"))
	})
}
