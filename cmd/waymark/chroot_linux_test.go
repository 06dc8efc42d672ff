package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A container may have no file but waymark, linked statically, and a socket: kubectl cp and exec into
// an image without a shell. There is no /proc, /tmp, /dev and /etc.
func TestChroot(t *testing.T) {
	needRoot(t)
	prog, root := instrument(t, "kill", "--all"), openDir(t)
	// Without cgo, as it is released, all is compiled once more. The C library's own archive will do.
	build := exec.Command("go", "build", "-ldflags=-s -w -linkmode=external -extldflags=-static", "-o", filepath.Join(root, "waymark"), ".")
	if *long {
		build = exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(root, "waymark"), ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "counts")
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(prog, file)
	cmd.Env = append(os.Environ(), "WAYMARK=socket="+filepath.Join(root, "s.sock"), "GOMAXPROCS=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	within := &confinement{Root: root}
	waymark := func(args ...string) (string, error) {
		out, err := within.command(t, "/waymark", args...).CombinedOutput()
		return string(out), err
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(root, "s.sock")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the program has made no socket")
		}
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	for _, c := range []struct{ args, want string }{
		{"ps --dir /", pid + " "}, {"status --dir / " + pid, "\non          nothing\n"}, {"status --dir . kill", "process " + pid},
		{"top --dir / --once --every 100ms kill main.leaf*", " main.leaf0\n"}, {"watch --dir / -n 1 " + pid + " main.leaf1", "main.leaf1()"},
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
