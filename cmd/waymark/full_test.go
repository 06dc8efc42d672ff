//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// When the disk is full the program runs on, the file holds what was written, and
// one line says so.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []string{"1m", "4m", "12m"} {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
			t.Skipf("SKIPPED: needs the right to mount a small file system: %v", err)
		}
		prog := instrument(t, "storm", "--all", "--closures")
		trace := filepath.Join(dir, "full.wmt")
		cmd := exec.Command(prog, "5000")
		cmd.Env = append(os.Environ(), "WAYMARK=record,o="+trace)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", size, err, stderr.Bytes())
		}
		if !strings.Contains(stdout.String(), "main.worker 5000\n") {
			t.Errorf("%s: the program printed %q", size, stdout.Bytes())
		}
		if n := strings.Count(stderr.String(), "\n"); n != 1 || !strings.HasPrefix(stderr.String(), "waymark: ") || !strings.Contains(stderr.String(), "no space") {
			t.Errorf("%s: stderr is %q; want one line about the full disk", size, stderr.Bytes())
		}
		f, err := tracefile.Open(trace)
		switch {
		case err != nil && size != "1m": // too small even for the first buffers
			t.Errorf("%s: %v", size, err)
		case err == nil:
			info, err := f.Verify()
			if err != nil || info.Events == 0 || info.Damaged > 0 {
				t.Errorf("%s: %v, %+v", size, err, info)
			}
			t.Logf("%s: %d events, %d lost, complete %v; %s", size, info.Events, info.Lost, info.Complete, bytes.TrimSpace(stderr.Bytes()))
			f.Close()
		}
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
}
