//go:build linux && (amd64 || arm64)

package probe

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// perf reads the notes of the image, and counts firings by an event of tracefs.
func TestTracerPerf(t *testing.T) {
	needTracer(t)
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip("perf is not installed: apt-get install linux-perf")
	}
	p := startProgram(t, "example")
	image := ""
	links, _ := filepath.Glob("/proc/" + p.pid() + "/fd/*")
	for _, link := range links {
		if to, _ := os.Readlink(link); strings.HasPrefix(to, "/memfd:MyProvider") {
			image = link
		}
	}
	file, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	perf := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("perf", args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "PERF_BUILDID_DIR="+filepath.Join(home, "ids"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("perf %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	copied := filepath.Join(home, "image.so")
	if err := os.WriteFile(copied, file, 0o666); err != nil {
		t.Fatal(err)
	}
	perf("--buildid-dir", filepath.Join(home, "ids"), "buildid-cache", "--add", copied)
	if list := perf("--buildid-dir", filepath.Join(home, "ids"), "list", "sdt"); !strings.Contains(list, "sdt_MyProvider:finishProbe") {
		t.Errorf("perf list sdt prints\n%swant sdt_MyProvider:finishProbe", list)
	}

	note := notesOf(t, file)[1]
	group := "waymark_" + p.pid()
	event := fmt.Sprintf("p:%s/finish %s:%#x(%#x) value=%%%s:s64\n", group, image, note.Location, note.Semaphore, strings.TrimPrefix(registers[0], "r"))
	events, err := os.OpenFile("/sys/kernel/tracing/uprobe_events", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	if _, err := events.WriteString(event); err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	defer func() {
		if _, err := events.WriteString("-:" + group + "/finish\n"); err != nil {
			t.Error(err)
		}
	}()
	data := filepath.Join(home, "perf.data")
	ask, command, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answer, answered, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	record := exec.Command("perf", "record", "-q", "-o", data, "-e", group+":finish", "-p", p.pid(), "-D", "-1", "--control", "fd:3,4")
	record.ExtraFiles, record.Stderr = []*os.File{ask, answered}, os.Stderr
	if err := record.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(command, "enable")
	answer.SetReadDeadline(time.Now().Add(5 * time.Minute))
	if _, err := answer.Read(make([]byte, 10)); err != nil {
		t.Fatalf("perf does not begin to record: %v", err)
	}
	p.tell("fire")
	p.tell("fire")
	p.end()
	if err := record.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(perf("script", "-i", data), "value=42"); n != 2 {
		t.Errorf("perf has %d firings with 42, want 2", n)
	}
}

// notesOf returns the notes of an image.
func notesOf(t *testing.T, file []byte) []usdt.Note {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	section, err := f.Section(usdt.NoteSection).Data()
	if err != nil {
		t.Fatal(err)
	}
	notes, err := usdt.Decode(section, usdtArch)
	if err != nil {
		t.Fatal(err)
	}
	return notes
}
