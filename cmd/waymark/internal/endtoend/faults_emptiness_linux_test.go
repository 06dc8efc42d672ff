package endtoend

import (
	"os"
	"path/filepath"
	"testing"
)

// Where there is nothing but the program: no /proc, /sys, /dev, /tmp and /etc, or nothing
// that can be written to.
func (f *faultTest) emptiness(t *testing.T) {
	needRoot(t)
	root := openDir(t)
	for name, prog := range map[string]string{"plain": f.plain, "traced": f.traced} {
		b, err := os.ReadFile(prog)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	empty := func(user int) *faultRun {
		r := &faultRun{faultTest: f, prog: "/traced", plain: "/plain", trace: filepath.Join(root, "f.wmt"), seen: "/f.wmt"}
		r.Root, r.User = root, user
		return r
	}
	t.Run("chroot", func(t *testing.T) {
		r := empty(0)
		r.complete(t)
		if info, _ := r.read(t, r.trace); info.Program != "/traced" {
			t.Errorf("the program is %q", info.Program)
		}
		if err := os.Remove(r.trace); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("chroot and user", func(t *testing.T) {
		os.Chmod(root, 0o755)
		empty(65534).untraced(t, "permission denied")
	})
	t.Run("read-only", func(t *testing.T) {
		r := faultRun{faultTest: f}
		r.ReadOnly = []string{"/"}
		r.untraced(t, "read-only file system")
	})
	t.Run("read-only but for the recording", func(t *testing.T) {
		dir := openDir(t)
		r := faultRun{faultTest: f, trace: filepath.Join(dir, "f.wmt"), env: []string{"HOME=", "TMPDIR=/nonexistent"}}
		r.ReadOnly, r.Writable = []string{"/"}, []string{dir}
		r.User = 65534
		r.complete(t)
	})
	t.Run("folder removed", func(t *testing.T) {
		dir := openDir(t)
		r := faultRun{faultTest: f, seen: "f.wmt", wrap: []string{"/bin/sh", "-c", `mkdir -p ` + dir + `/d && cd ` + dir + `/d && rmdir ../d && unset PWD && exec "$0" "$@"`}}
		r.untraced(t, "f.wmt")
	})
}
