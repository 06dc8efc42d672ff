package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// A release has a command that runs and knows its commit, and is the same made anywhere.
func TestAssets(t *testing.T) {
	c := newCheckout(t)
	c.put("README.md", "read\n")
	c.put("CHANGELOG.md", "# Changelog\n\n## v0.9.0\n\nGood, see [limits](docs/limits.md).\n\n## v0.8.0\n\nOld.\n")
	c.put("cmd/waymark/go.mod", "module example.com/m/cmd/waymark\n\ngo 1.26\n\nrequire example.com/m v0.0.0\n")
	c.put("cmd/waymark/go.sum", "")
	c.put("cmd/waymark/internal/build/library/library.go", "package library\n\nvar commit string\n\nfunc Commit() string { return commit }\n")
	c.put("cmd/waymark/main.go", `package main

import (
	_ "example.com/m"
	"example.com/m/cmd/waymark/internal/build/library"
)

func main() { println(library.Commit()) }
`)
	c.commit()
	out := t.TempDir()
	o := options{root: c.root, version: "v0.9.0", out: out, platforms: []string{runtime.GOOS + "/" + runtime.GOARCH}}
	if err := run(o, true, false); err != nil {
		t.Fatal(err)
	}

	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(out, "v0.9.0", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const notes = "Good, see [limits](https://example.com/m/blob/v0.9.0/docs/limits.md).\n"
	if got := read(notesName); got != notes {
		t.Errorf("notes: %q, want %q", got, notes)
	}
	name := "waymark_v0.9.0_" + runtime.GOOS + "_" + runtime.GOARCH
	var sums string
	for _, file := range []string{notesName, name + ".tar.gz", name + ".cdx.json"} {
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(read(file))), file)
	}
	if got := read("SHA256SUMS"); got != sums {
		t.Errorf("checksums: %q, want %q", got, sums)
	}

	var bill document
	if err := json.Unmarshal([]byte(read(name+".cdx.json")), &bill); err != nil {
		t.Fatal(err)
	}
	parts := bill.Metadata.Component.PURL
	for _, p := range bill.Components {
		parts += " " + p.PURL
		if p.Name != "std" && (len(p.Hashes) != 1 || len(p.Hashes[0].Content) != 64) {
			t.Errorf("%s has the hashes %v", p.Name, p.Hashes)
		}
	}
	if want := "pkg:golang/example.com/m/cmd/waymark@v0.9.0 pkg:golang/example.com/m@v0.9.0 pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go"); parts != want {
		t.Errorf("parts: %q, want %q", parts, want)
	}

	when, err := time.Parse(time.RFC3339, c.git("log", "-1", "--format=%cI"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "waymark.exe")
	z, err := gzip.NewReader(strings.NewReader(read(name + ".tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(z)
	var names []string
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(when) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s is of %v, %d:%d, want %v, 0:0", h.Name, h.ModTime, h.Uid, h.Gid, when)
		}
		if len(names) == 0 {
			text, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, text, os.FileMode(h.Mode)); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(h.Name, name+"/"), ".exe"))
	}
	if got := strings.Join(names, " "); got != "waymark LICENSE README.md" {
		t.Errorf("the archive has %s", got)
	}
	said, err := exec.Command(program).CombinedOutput()
	if want := c.git("rev-parse", "HEAD"); err != nil || strings.TrimSpace(string(said)) != want {
		t.Errorf("the command says %q, %v; want %q", said, err, want)
	}

	fails := func(o options, verify bool, want string) {
		t.Helper()
		if err := run(o, verify, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// What git changes when it checks a file out.
	o.platforms = nil
	c.put(".gitattributes", "text.txt text eol=crlf\n")
	c.put("text.txt", "a line\n")
	c.commit()
	fails(o, true, "example.com/m/@v/v0.9.0.zip has other bytes when it is made again of a clone: ")
	c.put("m.go", "package m // changed\n")
	fails(o, true, "-verify makes the release again of a clone, which lacks changes")
	if r, err := open(c.root, "v0.9.0"); err != nil || r.commit != c.git("rev-parse", "HEAD")+"+dirty" {
		t.Errorf("with a change: %+v, %v", r, err)
	}
	o.out = filepath.Join(c.root, "dist")
	fails(o, false, "dist is in the repository, and git doesn't ignore it")
	o.out = filepath.Join(out, "v0.9.0", notesName, "x")
	fails(o, false, "give another folder as OUT")
	o.out, o.version, o.platforms = out, "v0.9.1", []string{"linux/amd64"}
	fails(o, false, "CHANGELOG.md says nothing under '## v0.9.1'")
	o.version, o.platforms = "v0.9.0", []string{"linux/abacus"}
	fails(o, false, "unsupported GOOS/GOARCH pair linux/abacus")
	o.platforms = []string{"linux"}
	fails(o, false, "linux: want a platform like linux/amd64")
}

// What is linked has the checksums that were reviewed.
func TestMatch(t *testing.T) {
	b := &builder{repository: &repository{paths: []string{"example.com/m"}}, sums: "example.com/a v1.0.0 h1:abc=\n"}
	for sum, good := range map[string]bool{"h1:abc=": true, "h1:abd=": false, "": false} {
		info := &buildinfo.BuildInfo{Deps: []*debug.Module{{Path: "example.com/m", Version: "v0.9.0"}, {Path: "example.com/a", Version: "v1.0.0", Sum: sum}}}
		if err := b.match(info); (err == nil) != good {
			t.Errorf("%q: %v", sum, err)
		}
	}
}

func TestSame(t *testing.T) {
	release, again := t.TempDir(), t.TempDir()
	put := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(release, "a", "same")
	put(again, "a", "same")
	put(release, "list", "v0.8.0\nv0.9.0\n")
	put(again, "list", "v0.9.0\n")
	if err := same(release, again); err != nil {
		t.Error(err)
	}
	put(again, "b", "more")
	if err := same(release, again); !os.IsNotExist(err) {
		t.Errorf("a file more: %v", err)
	}
	put(release, "b", "mote")
	if err := same(release, again); err == nil {
		t.Error("another file: no error")
	}
}
