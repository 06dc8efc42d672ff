package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// A terminal is one of tmux, in which a command runs.
type terminal struct {
	t      *testing.T
	socket string
}

// openTerminal runs a command in a terminal of 80 columns and 24 lines.
func openTerminal(t *testing.T, env []string, command string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: attach and tui are not tested in a terminal")
	}
	dir, err := os.MkdirTemp("", "tmux") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t, filepath.Join(dir, "s")}
	cmd := exec.Command("tmux", "-S", term.socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", term.socket, "kill-server").Run()
		os.RemoveAll(dir)
	})
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (term *terminal) press(keys ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, keys...)...)
}

func (term *terminal) text() string { return term.tmux("capture-pane", "-p") }

// until waits until the terminal shows what the pattern describes, and returns what that is.
func (term *terminal) until(pattern string) string {
	term.t.Helper()
	want := regexp.MustCompile(pattern)
	for range 2400 { // two minutes
		if found := want.FindString(term.text()); found != "" {
			return found
		}
		time.Sleep(50 * time.Millisecond)
	}
	term.t.Fatalf("%s does not come; there is\n%s", pattern, term.text())
	return ""
}

// A service is the example with groups, at work.
type service struct {
	*exec.Cmd
	t   *testing.T
	env []string
}

func startService(t *testing.T) *service {
	t.Helper()
	path := filepath.Join(t.TempDir(), "facility")
	build := exec.Command(tool(t), "build", "--all", "--args", "--results", "-o", path, ".")
	build.Dir = repository.Path(t, "examples/facility")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := &service{exec.Command(path, "-jobs", "1000000"), t, nil}
	dir, err := os.MkdirTemp("", "run") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "WAYMARK=", "TERM=xterm-256color", "NO_COLOR=")
	s.Env = s.env
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Process.Kill()
		s.Wait()
		os.RemoveAll(dir)
	})
	return s
}

// is waits until the status is what it was at the start, or is not.
func (s *service) is(want string) {
	s.t.Helper()
	var out []byte
	for range 1200 { // two minutes
		cmd := exec.Command(tool(s.t), "status", fmt.Sprint(s.Process.Pid))
		cmd.Env = s.env
		out, _ = cmd.CombinedOutput()
		if strings.Contains(string(out), want) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Errorf("status has no %q:\n%s", want, out)
}

const nothingOn = "on          nothing"

// A user attaches to a service, switches a group on, sees it count, watches and traces calls, and
// leaves. Then nothing is on, also after kill -9.
func TestAttach(t *testing.T) {
	s := startService(t)
	s.is(nothingOn)
	pid := fmt.Sprint(s.Process.Pid)
	attach := fmt.Sprintf("%s attach --every 200ms %s; echo status $?; exec sleep 600", tool(t), pid)
	term := openTerminal(t, s.env, attach)
	term.until("process " + pid + " .*nothing on")
	term.press("2")
	term.until(`\[ \] +\d+ +▸ @Jobs`)
	term.press("j", "j", "Space") // the groups are IO, with Input and Output, and Jobs
	term.until(`1 target on`)
	s.is("sums @Jobs")
	term.press("1")
	first := term.until(`\d+ +main\.job`)
	for range 100 { // it counts
		if term.until(`\d+ +main\.job`) != first {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if term.until(`\d+ +main\.job`) == first {
		t.Errorf("the calls of main.job stay %s", first)
	}
	term.press("w", "Tab")
	term.until("› Condition")
	term.press("-l", "args[1] > 0")
	term.press("Tab", "Space", "Enter")
	term.until("Values may be secrets")
	term.press("y")
	term.until(`main\.job\(number=\d+, write=[1-9], read=\d\)`)
	if odd := regexp.MustCompile(`main\.job\(number=\d+, write=0.*`).FindString(term.text()); odd != "" {
		t.Errorf("a call is shown that the condition is against: %s", odd)
	}
	term.press("t", "Enter")
	term.until(`main\.job: [1-9]\d* traces?`)
	term.press("Enter")
	term.until(`100\.0 .* main\.job`)
	// A small terminal shows less, and all of it again when it grows.
	term.tmux("resize-window", "-x", "30", "-y", "9")
	term.until(`(?m)^ 1 Functions +2 Groups +3 Wat…$`)
	term.tmux("resize-window", "-x", "80", "-y", "24")
	term.until("4 Traces")
	term.press("Escape")
	term.press("2")
	term.press("o")
	term.until("nothing on")
	term.press("q")
	term.until("status 0")
	s.is(nothingOn)

	// What a killed one had on goes, too. Without colours there are none.
	term = openTerminal(t, append(s.env, "NO_COLOR=1"), fmt.Sprintf("exec %s attach --every 200ms %s @Jobs", tool(t), pid))
	term.until(`main\.job`)
	s.is("sums @Jobs")
	if coloured := regexp.MustCompile(`\x1b\[[0-9;]*3[0-7]m`).FindString(term.tmux("capture-pane", "-p", "-e")); coloured != "" {
		t.Errorf("with NO_COLOR there is %q", coloured)
	}
	var attached int
	fmt.Sscan(term.tmux("display-message", "-p", "#{pane_pid}"), &attached)
	if err := syscall.Kill(attached, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.is(nothingOn)

	// A service that exits is said to have, and what was seen last stays.
	term = openTerminal(t, s.env, strings.Replace(attach, pid, pid+" @Jobs", 1))
	term.until(`main\.job`)
	s.Process.Kill()
	s.Wait()
	term.until("LOST")
	term.until(`main\.job`)
	term.until("this is what was seen last")
	term.press("q")
	term.until("status 0")
}

// A user looks at a recording: functions, trees, traces, and the source of a function.
func TestViewer(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "facility.wmt")
	record := exec.Command(tool(t), "record", "--all", "-o", file, ".", "-jobs", "20")
	record.Dir = repository.Path(t, "examples/facility")
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho \"$@\" >"+dir+"/edited\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "TERM=xterm-256color", "VISUAL=", "EDITOR="+editor)
	view := tool(t) + " tui %s; echo status $?; exec sleep 600"
	term := openTerminal(t, env, fmt.Sprintf(view, file))
	term.until(`1 +[-\d]+.* main\.main`)
	term.press("/")
	term.press("-l", "main.job")
	term.press("Enter")
	term.until(`1 of \d+ functions have "main\.job"`)
	term.press("e")
	edited := filepath.Join(dir, "edited")
	for range 100 {
		if b, err := os.ReadFile(edited); err == nil && len(b) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if b, _ := os.ReadFile(edited); !regexp.MustCompile(`^\+\d+ .*/examples/facility/main\.go\n$`).Match(b) {
		t.Errorf("the editor was called with %q, want the line of main.job in main.go", b)
	}
	term.until(`main\.job`)
	term.press("c")
	term.until(`▾ main\.job\n.*main\.main`)
	term.press("2")
	term.until(`▾ main\.main`)
	term.press("5")
	term.until(`1-\d+ +main\.main`)
	term.press("Enter")
	term.until(`▾ main\.main`)
	term.press("q")
	term.until("status 0")

	// A damaged recording is shown as far as it can be read.
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged.wmt")
	at := bytes.LastIndexByte(b[:len(b)*2/3], 0)
	copy(b[at:], "damage")
	if err := os.WriteFile(damaged, b, 0o666); err != nil {
		t.Fatal(err)
	}
	term = openTerminal(t, env, fmt.Sprintf(view, damaged))
	term.until(`damaged.*could not be read`)
	term.press("q")
	term.until("status 1")
}

// Without a terminal the commands say what to use instead.
func TestNoTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.wmt")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"attach 1", "attach: this needs a terminal: without one use waymark top 1"},
		{"attach", "attach: want a process id, or the name of a program"},
		{"attach --sort size 1", "--sort=size: want one of"},
		{"attach --every 0s 1", "--every"},
		{"tui", "tui: want a recording"},
		{"tui nowhere.wmt", "nowhere.wmt: no such file or directory"},
		{"tui " + file, "not a waymark trace file"},
	} {
		out, err := exec.Command(tool(t), strings.Fields(tt.args)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("waymark %s: %v, %q, want an error with %q", tt.args, err, out, tt.want)
		}
	}
}
