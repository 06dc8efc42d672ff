package instrument

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "build a fully instrumented standard library, rewrite and calibrate with all packages, which takes minutes")

// stub holds hooks for package runtime. All sites are on, but nothing happens.
const stub = `package runtime

type WMSite uint32

type WMFrame uint64

type WMPackage struct {
	Sites []WMSite
	Table string
}

func WMRegister(p *WMPackage) bool {
	for i := range p.Sites {
		p.Sites[i] = 1
	}
	return true
}

//go:noinline
func WMEnter(s WMSite) WMFrame { return WMFrame(s) }

//go:noinline
func WMExit(f WMFrame) {}

//go:noinline
func WMEnterArgs(s WMSite, args ...any) WMFrame { return WMFrame(s) }

//go:noinline
func WMExitResults(f WMFrame, results ...any) {}

//go:noinline
func WMExitDeferred(f WMFrame, results ...any) {}

type WMMasked struct{}

type WMWord = uint64

//go:noinline
func WMEnterInts(s WMSite, kinds, a, b, c, d WMWord) WMFrame { return WMFrame(s) }

//go:noinline
func WMExitError(f WMFrame, err error) {}

//go:noinline
func WMExitDeferredError(f WMFrame, err *error) {}

//go:noinline
func WMError(f WMFrame, err error) {}

//go:noinline
func WMExitInts(f WMFrame, kinds, a, b, c, d WMWord) {}
`

// TestStdBuild instruments all functions of the standard library and of the
// programs that come with Go, literals and tests too, with arguments and
// results, but for the packages that package runtime imports. It builds the
// packages, has go vet check the types of all tests, and runs those of a few
// packages. A release of Go that lies in the module cache, whose files can't
// be overlaid, must be used through a symbolic link:
//
//	ln -s "$(GOTOOLCHAIN=go1.27.2 go env GOROOT)" /tmp/go1.27
//	GOROOT=/tmp/go1.27 GOTOOLCHAIN=local PATH=/tmp/go1.27/bin:$PATH \
//		go test -run StdBuild -timeout 1h ./internal/instrument -long
func TestStdBuild(t *testing.T) {
	if !*long {
		t.Skip("-long is not given")
	}
	work := t.TempDir()
	leaf := map[string]bool{"unsafe": true}
	for _, path := range strings.Fields(string(goCommand(t, work, "list", "-deps", "runtime"))) {
		leaf[path] = true
	}

	overlay := make(map[string]string)
	replace := func(path string, data []byte) {
		file := filepath.Join(work, strconv.Itoa(len(overlay))+filepath.Base(path))
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		overlay[path] = file
	}
	replace(filepath.Join(goroot(t), "src/runtime/waymark.go"), []byte(stub))
	packages, sites := 0, 0
	for _, p := range listPackages(t, work, "std", "cmd") {
		if leaf[p.ImportPath] {
			continue
		}
		packages++
		for _, g := range []*Group{p.group(t), p.testGroup(t), p.xtestGroup(t)} {
			if len(g.Files) == 0 {
				continue
			}
			res, err := Rewrite(g, &Options{Closures: true, MinCost: -1, Values: allValues, Redact: []string{"key"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range res.Files {
				if f.Changed {
					replace(f.Path, f.Source)
				}
			}
			if res.Generated != nil {
				replace(res.Generated.Path, res.Generated.Source)
			}
			sites += len(res.Table.Sites)
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d packages, %d functions in %d files", toolchainVersion(), packages, sites, len(overlay))
	goCommand(t, work, "build", "-p=1", "-overlay="+file, "-o="+os.DevNull, "std", "cmd")
	goCommand(t, work, "vet", "-p=1", "-bools", "-overlay="+file, "std")
	// Not among them are packages whose tests count allocations, of which
	// there are more where functions aren't inlined.
	goCommand(t, work, "test", "-p=1", "-short", "-vet=off", "-overlay="+file,
		"encoding/json", "go/types", "iter", "net/http", "os/exec", "slices", "strings", "syscall", "text/template", "time")
}

// allValues has the arguments and the results of every function recorded.
func allValues(*Func) (args, results bool) { return true, true }

// A listed is what the go command says about a package.
type listed struct {
	ImportPath, Name, Dir     string
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Module                    *struct{ GoVersion string }
}

func listPackages(t testing.TB, dir string, patterns ...string) []*listed {
	t.Helper()
	const fields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module"
	cmd := exec.Command("go", append([]string{"list", fields}, patterns...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// group returns the files of the package itself.
func (p *listed) group(t testing.TB) *Group {
	t.Helper()
	g := &Group{ImportPath: p.ImportPath, Main: p.Name == "main"}
	if p.Module != nil && p.Module.GoVersion != "" {
		g.GoVersion = "go" + p.Module.GoVersion
	}
	g.Files = append(p.read(t, p.GoFiles), p.read(t, p.CgoFiles)...)
	return g
}

// testGroup returns the package's tests of the same name.
func (p *listed) testGroup(t *testing.T) *Group {
	t.Helper()
	g := p.group(t)
	g.Kind, g.Main = Test, false
	g.Files, g.With = p.read(t, p.TestGoFiles), g.Files
	return g
}

// xtestGroup returns the tests in a package of their own.
func (p *listed) xtestGroup(t *testing.T) *Group {
	t.Helper()
	g := p.group(t)
	g.Kind, g.Main = XTest, false
	g.ImportPath += "_test"
	g.Files, g.Others = p.read(t, p.XTestGoFiles), g.Files
	return g
}

func (p *listed) read(t testing.TB, names []string) []File {
	t.Helper()
	var files []File
	for _, name := range names {
		path := filepath.Join(p.Dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Path: path, Source: data})
	}
	return files
}
