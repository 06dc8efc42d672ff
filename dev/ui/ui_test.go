package ui

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var command = flag.String("waymark", "../../bin/waymark", "the command")

func TestMain(m *testing.M) {
	flag.Parse()
	if path, err := filepath.Abs(*command); err == nil {
		*command = path // tests run it in other folders
	}
	os.Exit(m.Run())
}

// waymark runs the command to its end, and returns what it printed.
func waymark(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(*command, args...)
	var errors strings.Builder
	cmd.Dir, cmd.Stderr = dir, &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("waymark %s: %v\n%s", strings.Join(args, " "), err, errors.String())
	}
	return out
}

// serve runs waymark serve until the test ends, and returns the address that it prints.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(*command, append([]string{"serve"}, args...)...)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("waymark serve after an interrupt: %v, want status 0\n%s", err, errors.String())
		}
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("waymark serve printed no address: %v\n%s", err, errors.String())
	}
	return strings.TrimSpace(url)
}

// shop records the example service with few requests.
func shop(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "shop.wmt")
	waymark(t, "../../examples/shop", "record", "--waiting", "--objects", "--args", "--results", "-o", file, ".", "-requests", "150")
	return file
}
