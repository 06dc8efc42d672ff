package instrument

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)



// stub holds hooks that do nothing, for package runtime.
const stub2 = `package runtime

type WMSite uint32

type WMFrame uint64

type WMPackage struct {
	Sites []WMSite
	Table string
}

func WMRegister(*WMPackage) bool { return true }

//go:noinline
func WMEnter(s WMSite) WMFrame { return WMFrame(s) }

//go:noinline
func WMExit(f WMFrame) {}
`

// TestStdBuild instruments all functions of the standard library and of the
// programs that come with Go, literals and tests too, but for the packages
// that package runtime imports. It builds the packages, and has go vet check
// the types of the tests. A release of Go that lies in the module cache, whose
// files can't be overlaid, must be used through a symbolic link:
//
//	ln -s "$(GOTOOLCHAIN=go1.27.2 go env GOROOT)" /tmp/go1.27
//	GOROOT=/tmp/go1.27 GOTOOLCHAIN=local PATH=/tmp/go1.27/bin:$PATH \
//		go test -run StdBuild -timeout 1h ./internal/instrument -long
func TestZZBuild(t *testing.T) {
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
	replace(filepath.Join(goroot(t), "src/runtime/waymark.go"), []byte(stub2))
	sites := 0
	for _, p := range listPackages(t, work, "std", "cmd") {
		if leaf[p.ImportPath] {
			continue
		}
		for _, g := range []*Group{p.group(t), p.testGroup(t), p.xtestGroup(t)} {
			if len(g.Files) == 0 {
				continue
			}
			res, err := Rewrite(g, &Options{Closures: true, MinCost: -1})
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
			sites += len(res.Sites)
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
	t.Logf("%s: %d sites in %d files", toolchainVersion(), sites, len(overlay))
	cmd := exec.Command("go", "test", "-short", "-p=1", "-vet=off", "-overlay="+file, "syscall", "net", "internal/poll", "os/signal", "os/user", "runtime/pprof", "runtime/trace", "expvar", "container/list", "text/scanner", "encoding/csv","encoding/binary","image/...","hash/...","index/...","mime/...","net/...","path/...","testing/...","unicode/...","go/...","crypto/x509")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	os.WriteFile("/tmp/ex/stdtest.out", out, 0666)
	t.Log(err)
}

