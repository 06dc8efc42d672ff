package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// goroot returns the folder of the Go tree that the go command uses.
func goroot(t *testing.T) string {
	return strings.TrimSpace(string(command(t, ".", nil, "go", "env", "GOROOT")))
}

// goEnv returns a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// command runs a program in dir and returns what it prints on stdout.
func command(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false"), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

func runIn(dir string, args ...string) (string, error) {
	return runEnv(dir, []string{"GOWORK=off"}, args...)
}

func runEnv(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=", "NO_COLOR=1", "WAYMARK="), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, trace string) *tracefile.File {
	t.Helper()
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
