package gocmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// An Env is what `go env` says, in the folder of the build, and how to run the
// go command that said it.
type Env struct {
	Variables

	Dir   string   // where the go command runs
	Go    string   // the go command
	Extra []string // variables to add to the environment of the go command
}

// Variables are those of `go env` that builds go by.
type Variables struct {
	GOROOT, GOVERSION, GOMOD, GOWORK, GOFLAGS string
	GOMODCACHE, GOOS, GOARCH, CGO_ENABLED     string
	GOEXE, GOCACHE, GOHOSTOS, GOHOSTARCH      string
	GOEXPERIMENT, GO111MODULE                 string
}

// variables are their names. Asked for all variables there are, the go command runs the C compiler.
var variables = func() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Variables]()) {
		names = append(names, f.Name)
	}
	return names
}()

// LoadEnv asks the go command for its environment in dir. A toolchain that the go command has
// downloaded lies in the module cache, whose files can't be overlaid. LoadEnv uses such a
// toolchain through a symbolic link in linkDir. extra are variables for the go command.
func LoadEnv(dir, linkDir string, extra ...string) (*Env, error) {
	e := &Env{Dir: dir, Go: "go", Extra: extra}
	out, err := e.Output(append([]string{"env", "-json"}, variables...)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &e.Variables); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	// The build's own settings are in the environment already. Those that the
	// packages are listed for may be set in the file of `go env -w`.
	if e.GOROOT == "" {
		return nil, errors.New("go env: GOROOT is empty")
	}
	if rel, err := filepath.Rel(e.GOMODCACHE, e.GOROOT); err == nil && !strings.HasPrefix(rel, "..") {
		link := filepath.Join(linkDir, e.GOVERSION+"."+e.GOHOSTOS+"-"+e.GOHOSTARCH)
		if err := symlink(e.GOROOT, link); err != nil {
			return nil, fmt.Errorf("link to the toolchain: %w", err)
		}
		e.GOROOT = link
		e.Go = filepath.Join(link, "bin", "go")
		e.Extra = append(e.Extra, "GOROOT="+link, "GOTOOLCHAIN=local")
	}
	return e, nil
}

// symlink makes a link, in place of another one, at once: other builds may do the same.
func symlink(target, link string) error {
	if old, err := os.Readlink(link); err == nil && old == target {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(link), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "link")
	if err := os.Symlink(target, made); err != nil {
		return err
	}
	return os.Rename(made, link)
}

// Settings returns the flags in GOFLAGS. Each is one word, in quotes if it has spaces.
func (e *Env) Settings() Flags {
	var out Flags
	for rest := strings.TrimSpace(e.GOFLAGS); rest != ""; rest = strings.TrimSpace(rest) {
		end := strings.IndexAny(rest, " \t\n")
		if q := rest[0]; q == '\'' || q == '"' {
			if i := strings.IndexByte(rest[1:], q); i >= 0 {
				out = append(out, rest[1:1+i])
				rest = rest[i+2:]
				continue
			}
		}
		if end < 0 {
			end = len(rest)
		}
		out = append(out, rest[:end])
		rest = rest[end:]
	}
	return out
}

// RefuseGOPATH returns an error if the go command would find packages in GOPATH instead of modules.
func (e *Env) RefuseGOPATH(args []string) error {
	files := len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return !strings.HasSuffix(arg, ".go") })
	if e.GO111MODULE != "off" && (e.GO111MODULE != "auto" || e.GOMOD != "" || files) {
		return nil
	}
	return fmt.Errorf("GO111MODULE=%s: waymark needs modules, and the go command doesn't use them here: unset GO111MODULE (go env -u GO111MODULE, if go env -w has set it), and run go mod init where there is no go.mod", e.GO111MODULE)
}

// IsNewer reports whether the go command is of a newer language than this program was built with.
func (e *Env) IsNewer() bool {
	return version.Compare(version.Lang(e.GOVERSION), version.Lang(runtime.Version())) > 0
}

// TooNew returns an error that says what to do about err, which may come from a newer language.
func (e *Env) TooNew(err error) error {
	return fmt.Errorf("%w\nThis may be Go that is newer than this waymark, which was built with %s: build the waymark command with GOTOOLCHAIN=%s in the environment, unless plain go build reports the same",
		err, runtime.Version(), e.GOVERSION)
}

// CheckVet returns an error if this program can't be the tool of the go vet that runs in dir.
// This program couldn't read what a newer compiler writes.
func CheckVet(dir string) error {
	e := &Env{Dir: dir, Go: "go"}
	out, err := e.Output("env", "GOVERSION")
	if err != nil {
		return err
	}
	if e.GOVERSION = strings.TrimSpace(string(out)); !e.IsNewer() {
		return nil
	}
	return fmt.Errorf("go vet of %s can't use a waymark that was built with %s: build the waymark command with GOTOOLCHAIN=%s in the environment",
		e.GOVERSION, runtime.Version(), e.GOVERSION)
}

// Clone returns a copy to which other variables can be added.
func (e *Env) Clone() *Env {
	c := *e
	c.Extra = slices.Clone(e.Extra)
	return &c
}

// Command prepares a run of the go command.
func (e *Env) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(e.Go, args...)
	cmd.Dir = e.Dir
	cmd.Env = append(os.Environ(), "PWD="+e.Dir)
	cmd.Env = append(cmd.Env, e.Extra...)
	return cmd
}

// Output runs the go command and returns what it prints. The error holds what it
// printed on stderr.
func (e *Env) Output(args ...string) ([]byte, error) {
	cmd := e.Command(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && stderr.Len() > 0 {
			return out, &Error{Args: args, Stderr: stderr.String()}
		}
		return out, fmt.Errorf("run the go command: %w", err)
	}
	return out, nil
}

// An Error is a failure of the go command, with its own words.
type Error struct {
	Args   []string
	Stderr string
}

func (e *Error) Error() string { return strings.TrimRight(e.Stderr, "\n") }
