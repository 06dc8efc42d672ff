package toolchain

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write hashes.txt anew, from all tested releases")

// hashes.txt has the functions with anchors of the release that runs the tests; -update needs all.
func TestHashes(t *testing.T) {
	if *update {
		var all []string
		for _, release := range Tested {
			all = append(all, hashesOf(t, release)...)
		}
		if err := os.WriteFile("hashes.txt", []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		hashes = strings.Join(all, "\n") + "\n"
	}
	release, err := nearest(runtime.Version())
	if err != nil {
		t.Skip(err)
	}
	var want []string
	for line := range strings.Lines(hashes) {
		if strings.HasPrefix(line, release+" ") {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if got := hashesOf(t, release); !slices.Equal(got, want) {
		t.Errorf("%s has:\n%s\nhashes.txt:\n%s\nIf the anchors have changed, write it with -update", release, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func hashesOf(t *testing.T, release string) (list []string) {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+release)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range patches {
		edits := make(map[string]*patch)
		for _, a := range c.anchors {
			if p, err := parse(filepath.Join(strings.TrimSpace(string(out)), "src", c.pkg, a.file)); err == nil {
				edits[a.file] = p
			}
		}
		for _, line := range allHashed(edits, c.pkg, c.anchors) {
			list = append(list, release+" "+line)
		}
	}
	return list
}

// Another release is refused, unless the user takes the risk. Such a release is one of another
// minor version, or one in which a function with an anchor is another one.
func TestUntested(t *testing.T) {
	release, err := nearest(runtime.Version())
	if err != nil {
		t.Skip(err)
	}
	for _, c := range patches {
		files, err := c.patch(goroot(t), release, false)
		if err != nil {
			t.Fatal(err)
		}
		root := t.TempDir()
		dir := filepath.Join(root, "src", c.pkg)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				continue // a file that is added
			}
			text := strings.Replace(string(src), "\tpp.goidcache++\n", "\tpp.goidcache++ // or so\n", 1)
			text = strings.Replace(text, "\tt.runner = callerName(0)\n", "\tt.runner = callerName(0) // or so\n", 1)
			text = strings.Replace(text, "\tw.wroteHeader = true\n\tw.status = code\n", "\tw.wroteHeader = true // or so\n\tw.status = code\n", 1)
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		function := map[string]string{"runtime": "newproc1 in runtime/proc.go", "testing": "tRunner in testing/testing.go", "net/http": "response.WriteHeader in net/http/server.go"}[c.pkg]
		for version, parts := range map[string][]string{
			release + "1":               {release + "1", release + ",", function, "GOTOOLCHAIN=" + release, "--untested-go"},
			release + " X:noexperiment": {function},
			"go1.99.1":                  {"go1.99.1", Tested[0], "GOTOOLCHAIN=", "--untested-go"},
			"go1.25.3":                  {"go1.25.3", Tested[0]},
			"devel go1.99-0123":         {"devel", Tested[0]},
		} {
			_, err := c.patch(root, version, false)
			for _, part := range parts {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %v; want an error that names %s", version, err, part)
				}
			}
			if _, err := c.patch(root, version, true); err != nil {
				t.Errorf("%s, at the user's risk: %v", version, err)
			}
			// A patch release with the same functions is as good as the tested one.
			if _, err := c.patch(goroot(t), release+"1", false); err != nil {
				t.Error(err)
			}
		}
	}
}
