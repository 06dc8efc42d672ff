package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// shared has the programs that several tests run. The first test that asks for a program builds it.
var shared struct {
	dir string

	mu       sync.Mutex
	programs map[string]*program // by folder and flags
}

// A program is an executable and how it is made.
type program struct {
	path  string
	build func() error // builds once
}

// beginSharing makes the folder of the shared programs, and chooses one cache of waymark's for
// all tests and all runs. Its names are hashes, so that nothing in it is ever wrong. The library
// that programs link lies in it, and the go command compiles each folder by itself.
func beginSharing() (end func(), err error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	os.Setenv("WAYMARKCACHE", filepath.Join(caches, "waymark-test"))
	shared.programs = make(map[string]*program)
	shared.dir, err = os.MkdirTemp("", "waymark-test")
	return func() { os.RemoveAll(shared.dir) }, err
}

// tool returns the path of the command: the test binary under its name, as in scripts.
func tool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("waymark")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// instrument builds the main package in testdata/name with waymark and returns the program.
func instrument(t *testing.T, name string, flags ...string) string {
	t.Helper()
	return instrumentFor(t, runtime.GOARCH, name, flags...)
}

// instrumentFor is instrument for another architecture.
func instrumentFor(t *testing.T, goarch, name string, flags ...string) string {
	t.Helper()
	waymark := tool(t)
	return share(t, name, append([]string{"GOARCH=" + goarch}, flags...), func(path string) *exec.Cmd {
		cmd := exec.Command(waymark, append(append([]string{"build"}, flags...), "-o", path, ".")...)
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOARCH="+goarch)
		return cmd
	})
}

// plain builds the main package in testdata/name with the go command and returns the program.
func plain(t *testing.T, name string) string {
	t.Helper()
	return share(t, name, nil, func(path string) *exec.Cmd {
		cmd := exec.Command("go", "build", "-o", path, ".")
		cmd.Env = append(os.Environ(), "GOWORK=off")
		return cmd
	})
}

// share returns the program of the main package in testdata/name. If no test has asked for it with
// these flags, it runs the command that writes the program to a path.
func share(t *testing.T, name string, flags []string, command func(path string) *exec.Cmd) string {
	t.Helper()
	key := strings.Join(append([]string{name}, flags...), " ")
	shared.mu.Lock()
	p := shared.programs[key]
	if p == nil {
		path := filepath.Join(shared.dir, strconv.Itoa(len(shared.programs)), name)
		p = &program{path, sync.OnceValue(func() error {
			cmd := command(path)
			cmd.Dir = filepath.Join("testdata", name)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%v: %v\n%s", cmd, err, out)
			}
			return nil
		})}
		shared.programs[key] = p
	}
	shared.mu.Unlock()
	if err := p.build(); err != nil {
		t.Fatal(err)
	}
	return p.path
}
