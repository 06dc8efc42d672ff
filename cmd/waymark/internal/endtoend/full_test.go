//go:build linux

package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/tracefile"
)

// When the disk is full the program runs on, the file holds what was written, and
// one line says so.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	prog := instrument(t, "storm", "--all", "--closures")
	for i, size := range []string{"1m", "4m", "12m", "1m", "4m", "12m"} {
		// Who says how large the file may get has the whole disk.
		settings, says := "", "nearly full"
		if i >= 3 {
			settings, says = "max-size=1GB,", "no space"
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
			t.Skipf("SKIPPED: needs the right to mount a small file system: %v", err)
		}
		trace := filepath.Join(dir, "full.wmt")
		cmd := exec.Command(prog, "1500")
		cmd.Env = append(os.Environ(), "WAYMARK=record,"+settings+"o="+trace)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", size, err, stderr.Bytes())
		}
		if !strings.Contains(stdout.String(), "main.worker 1500\n") {
			t.Errorf("%s: the program printed %q", size, stdout.Bytes())
		}
		if n := strings.Count(stderr.String(), "\n"); n != 1 || !strings.HasPrefix(stderr.String(), "waymark: ") || !strings.Contains(stderr.String(), says) {
			t.Errorf("%s: stderr is %q; want one line with %q", size, stderr.Bytes(), says)
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

// The same when the disk is full while a recording is rotated: all parts are whole.
func TestDiskFullRotating(t *testing.T) {
	dir := t.TempDir()
	prog := instrument(t, "kill", "--all")
	for _, kb := range []int{7000, 7300, 7600} { // at various places of a part
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kb)); err != nil {
			t.Skipf("SKIPPED: needs the right to mount a small file system: %v", err)
		}
		trace := filepath.Join(dir, "full.wmt")
		counters := filepath.Join(t.TempDir(), "counters")
		if err := os.WriteFile(counters, make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(prog, counters)
		cmd.Env = append(os.Environ(), "WAYMARK=record,max-size=1MB,rotate=1000,buffers=2MiB,o="+trace)
		stderr := make(lines, 10)
		cmd.Stderr = stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line := <-stderr
		if !strings.HasPrefix(line, "waymark: ") || !strings.Contains(line, "nearly full") || strings.Count(line, "\n") != 1 {
			t.Errorf("%d KB: stderr is %q; want one line about the full disk", kb, line)
		}
		// It goes on.
		for now := count(t, counters, 0); count(t, counters, 0) < now+1000; {
		}
		cmd.Process.Kill()
		cmd.Wait()
		if len(stderr) > 0 {
			t.Errorf("%d KB: stderr goes on: %q", kb, <-stderr)
		}
		parts := append(recorder.Parts(trace), trace)
		if len(parts) < 2 {
			t.Errorf("%d KB: %d parts", kb, len(parts))
		}
		for _, name := range parts {
			f, err := tracefile.Open(name)
			if err != nil {
				t.Errorf("%d KB: %v", kb, err)
				continue
			}
			if info, err := f.Verify(); err != nil || info.Damaged > 0 || info.Events == 0 && name != trace {
				t.Errorf("%d KB: %s: %v, %+v", kb, name, err, info)
			}
			f.Close()
		}
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
}

// When there is no room for the build, nobody is at fault.
func TestDiskFullBuild(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: needs the right to mount a small file system: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	cmd := exec.Command(tool(t), "build", "-o", filepath.Join(dir, "program"), ".")
	cmd.Dir = filepath.Join("testdata", "kill")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "waymark: the build did not end: no space left on device") || strings.Contains(string(out), "fault") {
		t.Errorf("%v, and was said: %s", err, out)
	}
}

// lines gets what a program writes, a line for each write.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}
