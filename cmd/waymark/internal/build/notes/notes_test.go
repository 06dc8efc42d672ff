package notes

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	for _, c := range []struct {
		args       string
		path       string
		executable bool
	}{
		{"-o a.out -importcfg x -buildmode=exe main.a", "a.out", true},
		{"-o=a.out -buildmode=pie main.a", "a.out", true},
		{"-o a.out main.a", "a.out", true},
		{"-o a.so -buildmode=c-shared main.a", "a.so", false},
		{"-buildmode=exe main.a", "", false},
	} {
		path, executable := output(strings.Fields(c.args))
		if path != c.path || executable != c.executable {
			t.Errorf("output(%s) is %q, %v, want %q, %v", c.args, path, executable, c.path, c.executable)
		}
	}
}

func TestIsCall(t *testing.T) {
	words := Words("/bin/waymark", []string{"user", "-x"})
	if got, want := strings.Join(words, " "), "/bin/waymark linked 2 user -x"; got != want {
		t.Errorf("words are %q, want %q", got, want)
	}
	if !IsCall(append(words[1:], "/go/link", "-V=full")) {
		t.Error("the go command's call isn't one")
	}
	if IsCall([]string{"linked", "app", "x"}) || IsCall([]string{"linked"}) {
		t.Error("a command line of a user is a call")
	}
}

// A program without a table stays as it is, and what is no program is an error.
func TestAdd(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("this test's own program has no format for notes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app")
	write := func(data []byte) {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(data)
	if n, err := Add(path); n != 0 || err != nil {
		t.Errorf("Add to a program without probes returns %d, %v, want 0 and no error", n, err)
	}
	for _, n := range []int{0, 10, 64, 1000, len(data) / 2} {
		write(data[:n])
		if _, err := Add(path); err == nil {
			t.Errorf("Add to the first %d bytes of a program returns no error", n)
		}
	}
	if _, err := Add(path + ".none"); !os.IsNotExist(err) {
		t.Errorf("Add to a missing file returns %v", err)
	}
}
