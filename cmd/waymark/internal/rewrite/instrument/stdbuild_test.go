package instrument

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

var long = flag.Bool("long", false, "build a fully instrumented standard library and rewrite all its packages, which takes minutes")

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

func WMLight(WMSite) bool { return false }

func WMDone(WMSite) bool { return false }

func WMValued(WMSite) bool { return true }

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
// results. It leaves out the packages that package runtime imports. It builds
// the packages, has go vet check the types of all tests, and runs those of a
// few packages. A release of Go that lies in the module cache, whose files
// can't be overlaid, must be used through a symbolic link:
//
//	ln -s "$(GOTOOLCHAIN=go1.27.2 go env GOROOT)" /tmp/go1.27
//	GOROOT=/tmp/go1.27 GOTOOLCHAIN=local PATH=/tmp/go1.27/bin:$PATH \
//		go test -run StdBuild -timeout 1h ./internal/rewrite/instrument -long
func TestStdBuild(t *testing.T) {
	if !*long {
		t.Skip("-long is not given")
	}
	work := t.TempDir()
	leaf := map[string]bool{"unsafe": true}
	for _, path := range strings.Fields(string(syntaxtest.Go(t, work, "list", "-deps", "runtime"))) {
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
	for _, p := range syntaxtest.List(t, work, "std", "cmd") {
		if leaf[p.ImportPath] {
			continue
		}
		packages++
		for _, u := range []*syntax.Unit{p.Unit(t), p.TestUnit(t), p.XTestUnit(t)} {
			if len(u.Files) == 0 {
				continue
			}
			res := mustRewrite(t, u, &Options{Closures: true, MinCost: -1, Redact: []string{"key"}}, allValues)
			for _, f := range res.files {
				if f.changed {
					replace(f.path, f.source)
				}
			}
			if res.generated != nil {
				replace(res.generated.Path, res.generated.Source)
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
	t.Logf("%s: %d packages, %d functions in %d files", syntaxtest.Toolchain(), packages, sites, len(overlay))
	syntaxtest.Go(t, work, "build", "-p=1", "-overlay="+file, "-o="+os.DevNull, "std", "cmd")
	syntaxtest.Go(t, work, "vet", "-p=1", "-bools", "-overlay="+file, "std")
	// Not among them are packages whose tests count allocations, of which
	// there are more where functions aren't inlined.
	syntaxtest.Go(t, work, "test", "-p=1", "-short", "-vet=off", "-overlay="+file,
		"encoding/json", "go/types", "iter", "net/http", "os/exec", "slices", "strings", "syscall", "text/template", "time")
}
