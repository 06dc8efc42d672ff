package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A container may have no file but waymark, linked statically, and a socket: kubectl cp and exec into
// an image without a shell. There is no /proc, /tmp, /dev and /etc.
func TestChroot(t *testing.T) {
	needRoot(t)
	prog, root := instrument(t, "kill", "--all"), openDir(t)
	// Without cgo, as it is released, all is compiled once more. The C library's own archive will do.
	build := exec.Command("go", "build", "-ldflags=-s -w -linkmode=external -extldflags=-static", "-o", filepath.Join(root, "waymark"), "../..")
	if *long {
		build = exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(root, "waymark"), "../..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	process := listening(t, prog, filepath.Join(root, "s.sock"))
	within := &confinement{Root: root}
	waymark := func(args ...string) (string, error) {
		out, err := within.command(t, "/waymark", args...).CombinedOutput()
		return string(out), err
	}
	pid := fmt.Sprint(process.Pid)
	for _, c := range []struct{ args, want string }{
		{"ps --dir /", pid + " "}, {"status --dir / " + pid, "\non          nothing\n"}, {"status --dir . kill", "process " + pid},
		{"top --dir / -n 1 --every 500ms kill main.leaf*", " main.leaf0"}, {"watch --dir / -n 1 " + pid + " main.leaf1", "main.leaf1()"},
	} {
		if out, err := waymark(strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("waymark %s: %v\n%swant %q", c.args, err, out, c.want)
		}
	}
	for args, want := range map[string]string{
		"status " + pid: "there is no process " + pid, "watch --dir / kill main.lef1": "is it main.leaf1", "ps --dir /none": "no such file",
	} {
		if out, err := waymark(strings.Fields(args)...); err == nil || !strings.Contains(out, want) {
			t.Errorf("waymark %s: %v\n%swant an error with %q", args, err, out, want)
		}
	}
}
