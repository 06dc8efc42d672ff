package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// A checkout is a repository like this one, with little in it.
type checkout struct {
	*testing.T
	root string
}

func newCheckout(t *testing.T) *checkout {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	c := &checkout{t, t.TempDir()}
	c.put("LICENSE", "free\n")
	c.put("go.mod", "module example.com/m\n\ngo 1.21\n")
	c.put("m.go", "package m\n")
	c.put("cmd/waymark/main.go", "package main\n")
	for _, dir := range []string{"contrib/prometheus", "examples"} {
		c.put(dir+"/go.mod", "module example.com/m/"+dir+"\n\nrequire example.com/m v0.0.0\n")
		c.put(dir+"/x.go", "package x\n")
	}
	c.git("init", "-q")
	return c
}

func (c *checkout) put(name, text string) {
	c.Helper()
	path := filepath.Join(c.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

func (c *checkout) git(args ...string) string {
	c.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.root, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *checkout) commit() {
	c.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "all")
}

// A release has what git has under the tags that it names, once what it writes is committed.
func TestContents(t *testing.T) {
	c := newCheckout(t)
	root, out := c.root, t.TempDir()
	c.put(".gitignore", "/bin/\n")
	c.put("bin/program", "large\n")
	c.put("go.work", "go 1.26\n\nuse (\n\t.\n\t./cmd/waymark\n)\n\nreplace example.com/m v0.0.0 => ./\n")
	c.put("cmd/waymark/go.mod", "module example.com/m/cmd/waymark\n\ngo 1.26\n\nrequire (\n\texample.com/m v0.0.0\n\texample.com/other v1.2.3\n)\n")
	c.put("cmd/waymark/testdata/t/go.mod", "module example.com/t\n\nrequire example.com/m v0.0.0\n")
	c.put("contrib/prometheus/LICENSE", "its own\n")
	c.commit()
	const version = "v0.9.0"
	if err := run(options{root: root, version: version, out: out}, false, true); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"go.work":                       "replace example.com/m v0.9.0 => ./\n",
		"cmd/waymark/go.mod":            "example.com/m v0.9.0\n",
		"examples/go.mod":               "example.com/m v0.9.0\n",
		"cmd/waymark/testdata/t/go.mod": "example.com/m v0.0.0\n",
	} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v; want %q in it", name, text, err, want)
		}
	}
	c.commit()
	for _, dir := range public {
		path := strings.TrimSuffix("example.com/m/"+dir, "/.")
		m := module.Version{Path: path, Version: version}
		tagged := filepath.Join(t.TempDir(), "tagged.zip")
		w, err := os.Create(tagged)
		if err != nil {
			t.Fatal(err)
		}
		if err := zip.CreateFromVCS(w, m, root, "HEAD", strings.TrimPrefix(dir, ".")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		want := unzip(t, m, tagged)
		if dir == "cmd/waymark" {
			want["LICENSE"] = "free\n" // the go command adds it, package zip does not
		}
		got := unzip(t, m, filepath.Join(out, filepath.FromSlash(path), "@v", version+".zip"))
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %s is %q, want %q", path, name, got[name], want[name])
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s: %s is not in the module", path, name)
			}
		}
		mod, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(path), "@v", version+".mod"))
		if err != nil || string(mod) != want["go.mod"] {
			t.Errorf("%s: its go.mod is %q, %v; want %q", path, mod, err, want["go.mod"])
		}
	}

	c.put("contrib/prometheus/go.mod", "module example.com/m/contrib/prometheus\n\nrequire example.com/m v0.9.0\n\nreplace example.com/m => ../../\n")
	if err := run(options{root: root, version: "v0.9.1", out: out}, false, false); err == nil || !strings.Contains(err.Error(), "contrib/prometheus/go.mod replaces example.com/m: ") {
		t.Errorf("with a replace: %v", err)
	}
	c.put("contrib/prometheus/go.mod", "module example.com/m/contrib/prometheus\n\nrequire example.com/m/examples v0.9.0\n")
	if err := run(options{root: root, version: "v0.9.1", out: out}, false, false); err == nil || !strings.Contains(err.Error(), "requires example.com/m/examples, which isn't released") {
		t.Errorf("with a module that isn't public: %v", err)
	}
}

// unzip returns the files of a module.
func unzip(t *testing.T, m module.Version, path string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	if err := zip.Unzip(dir, m, path); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestVersions(t *testing.T) {
	for version, good := range map[string]bool{
		"v0.9.0": true, "v1.0.0": true, "v1.2.3-rc.1": true,
		"": false, "0.9.0": false, "v1": false, "v1.2": false, "v2.0.0": false, "v1.0.0+meta": false, "v0.0.0-20260101000000-0123456789ab": false,
	} {
		if err := check(version); (err == nil) != good {
			t.Errorf("%q: %v", version, err)
		}
	}
}
