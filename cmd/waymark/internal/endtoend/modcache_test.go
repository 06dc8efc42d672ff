package endtoend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// TestModuleCache instruments every module in the module cache, every function with
// arguments and results. Each package that compiles with what is in the cache still
// does. Nothing is downloaded.
func TestModuleCache(t *testing.T) {
	if !*rewriter {
		t.Skip("not asked for: make test-rewriter")
	}
	waymark := tool(t)
	cache := "WAYMARKCACHE=" + filepath.Join(t.TempDir(), "cache")
	modcache := strings.TrimSpace(string(command(t, ".", nil, "go", "env", "GOMODCACHE")))
	modules, packages, functions := 0, 0, 0
	for _, dir := range cachedModules(t, modcache) {
		name, err := filepath.Rel(modcache, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			p, f := instrumentModule(t, waymark, cache, modcache, dir)
			if p > 0 {
				modules++
			}
			packages += p
			functions += f
		})
	}
	t.Logf("%d modules with %d packages that compile, %d functions instrumented", modules, packages, functions)
	if functions == 0 {
		t.Errorf("nothing was instrumented: is %s empty?", modcache)
	}
}

// cachedModules lists the folders of modules at a version, but for toolchains.
func cachedModules(t *testing.T, modcache string) []string {
	var dirs []string
	err := filepath.WalkDir(modcache, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path == filepath.Join(modcache, "cache"), strings.HasPrefix(d.Name(), "toolchain@"):
			return fs.SkipDir
		case strings.Contains(d.Name(), "@"):
			dirs = append(dirs, path)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// instrumentModule compiles a copy of a module plain and instrumented, and returns the
// number of its packages that compile and of their functions.
func instrumentModule(t *testing.T, waymark, cache, modcache, src string) (packages, functions int) {
	dir := t.TempDir()
	if err := gocmd.CopyTree(dir, src); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		// From before Go had modules: theirs is in the download cache only.
		rel, _ := filepath.Rel(modcache, src)
		path, version, _ := strings.Cut(rel, "@")
		data, err := os.ReadFile(filepath.Join(modcache, "cache", "download", path, "@v", version+".mod"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	offline := append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod -buildvcs=false", cache)
	var names []string
	for path, mistake := range compiled(t, dir, offline, "./...") {
		if mistake == "" {
			names = append(names, path)
		}
	}
	if len(names) == 0 {
		t.Log("no package compiles with what is in the cache")
		return 0, 0
	}
	cmd := exec.Command(waymark, append([]string{"env", "--all", "--closures", "--args", "--results", "--verbose", "1", "--format", "json"}, names...)...)
	cmd.Dir, cmd.Env = dir, offline
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("waymark env: %v\n%s", err, stderr.Bytes())
		return len(names), 0
	}
	vars := make(map[string]string)
	if err := json.Unmarshal(out, &vars); err != nil {
		t.Fatal(err)
	}
	instrumented := offline
	for name, value := range vars {
		instrumented = append(instrumented, name+"="+value)
	}
	after := compiled(t, dir, instrumented, names...)
	for _, name := range names {
		if mistake, ok := after[name]; !ok || mistake != "" {
			t.Errorf("%s compiles, but not with waymark: %s", name, mistake)
		}
	}
	m := regexp.MustCompile(`waymark: (\d+) of \d+ functions`).FindSubmatch(stderr.Bytes())
	if m == nil {
		t.Errorf("waymark env --verbose 1 doesn't say how many functions are instrumented:\n%s", stderr.Bytes())
		return len(names), 0
	}
	functions, err = strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return len(names), functions
}

// compiled has the go command compile packages, and returns for each what is wrong
// with it; empty if it compiles.
func compiled(t *testing.T, dir string, env []string, patterns ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-export", "-json=ImportPath,Name,GoFiles,CgoFiles,Export,Error,DepsErrors"}, patterns...)...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	found := make(map[string]string)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Export string
			GoFiles, CgoFiles        []string
			Error                    *struct{ Err string }
			DepsErrors               []*struct{ Err string }
		}
		if e := dec.Decode(&p); e == io.EOF {
			break
		} else if e != nil {
			t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
		}
		switch {
		case len(p.GoFiles)+len(p.CgoFiles) == 0:
		case p.Error != nil:
			found[p.ImportPath] = p.Error.Err
		case len(p.DepsErrors) > 0:
			found[p.ImportPath] = p.DepsErrors[0].Err
		case p.Export == "":
			found[p.ImportPath] = "not compiled: " + stderr.String()
		default:
			found[p.ImportPath] = ""
		}
	}
	return found
}
