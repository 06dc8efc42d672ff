//go:build unix

package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Commands of tools get the user's token only if the user gave an address.
func TestToolToken(t *testing.T) {
	t.Setenv("WAYMARK_TOKEN", "sixteen bytes or more")
	for _, token := range []bool{false, true} {
		var out strings.Builder
		if status, err := runTool(t.Context(), "/usr/bin/env", "", nil, token, &out, io.Discard); err != nil || status != 0 {
			t.Fatal(status, err)
		}
		if got := strings.Contains(out.String(), "WAYMARK_TOKEN="); got != token {
			t.Errorf("the command gets the token: %v, want %v", got, token)
		}
	}
}

// A signal that ends the command while it prints leaves no folder.
func TestGuard(t *testing.T) {
	const variable = "WAYMARK_TEST_GUARD"
	if dir := os.Getenv(variable); dir != "" {
		if signal.Ignored(syscall.SIGHUP) {
			os.Stdout.WriteString("nohup\n")
			os.Exit(0)
		}
		guard(dir)
		os.Stdout.WriteString("ready\n")
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := filepath.Join(t.TempDir(), "dir")
		if err := os.MkdirAll(filepath.Join(dir, "more"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuard$")
		cmd.Env = append(os.Environ(), variable+"="+dir)
		out, err := cmd.StdoutPipe()
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		said := make([]byte, 100)
		n, err := out.Read(said)
		if err != nil {
			t.Fatal(err)
		}
		if string(said[:n]) == "nohup\n" {
			t.Skip("SIGHUP is ignored, as nohup has it; so does the command")
		}
		cmd.Process.Signal(s)
		cmd.Wait()
		if w := cmd.ProcessState.Sys().(syscall.WaitStatus); !w.Signaled() || w.Signal() != s {
			t.Errorf("%v: %v", s, cmd.ProcessState)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: the folder is still there: %v", s, err)
		}
	}
}
