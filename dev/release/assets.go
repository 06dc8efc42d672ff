package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// notesName is the file with the notes.
const notesName = "NOTES.md"

// putAssets writes what people download: for each platform an archive of the command with the list of
// its parts, and notes and checksums. It builds the command of the module proxy that it is beside.
func (r *repository) putAssets(o options) error {
	changes, err := os.ReadFile(filepath.Join(o.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := r.notes(string(changes))
	if err != nil {
		return err
	}
	b, err := r.builder(o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	assets := []file{{notesName, []byte(notes)}}
	for _, platform := range o.platforms {
		more, err := b.assets(platform)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		assets = append(assets, more...)
	}
	var sums bytes.Buffer
	for _, f := range assets {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.content), f.name)
	}
	assets = append(assets, file{"SHA256SUMS", sums.Bytes()})

	dir := filepath.Join(o.out, o.version)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	for _, f := range assets {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.content, 0o644); err != nil {
			return err
		}
		fmt.Println(path.Join(o.version, f.name))
	}
	return nil
}

// notes returns what the changelog says of the version. Its links to documents lead to the tag.
func (r *repository) notes(changes string) (string, error) {
	_, section, ok := strings.Cut(changes, "\n## "+r.version+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if section = strings.TrimSpace(section); !ok || section == "" {
		return "", fmt.Errorf("CHANGELOG.md says nothing under '## %s', which would be the release notes: write it there", r.version)
	}
	return strings.ReplaceAll(section, "](docs/", "](https://"+r.paths[0]+"/blob/"+r.version+"/docs/") + "\n", nil
}

// A builder builds the command as go install does for others, of the module proxy.
type builder struct {
	*repository
	dir    string // with what builds leave
	env    []string
	beside []file // in the archives, beside the command
	sums   string // the go.sum of the command
}

func (r *repository) builder(o options) (*builder, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	modcache, others, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	proxy, err := filepath.Abs(o.out)
	if err != nil {
		return nil, err
	}
	b := &builder{repository: r}
	for _, name := range []string{"LICENSE", "README.md", command + "/go.sum"} {
		content, err := os.ReadFile(filepath.Join(o.root, name))
		if err != nil {
			return nil, err
		}
		b.beside = append(b.beside, file{path.Base(name), content})
	}
	b.sums, b.beside = string(b.beside[2].content), b.beside[:2]
	if b.dir, err = os.MkdirTemp("", "release"); err != nil {
		return nil, err
	}
	// Nothing of the user's settings reaches the binaries. Modules are checked against go.sum afterwards.
	b.env = append(os.Environ(), "GOENV=off", "GOWORK=off", "GOBIN=", "GOEXPERIMENT=", "GOFIPS140=", "GOAMD64=", "GOARM64=",
		"CGO_ENABLED=0", "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOPATH="+b.dir, "GOMODCACHE="+filepath.Join(b.dir, "mod"),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(modcache)+"/cache/download,"+others)
	if o.cache != "" {
		b.env = append(b.env, "GOCACHE="+o.cache)
	}
	return b, nil
}

// assets builds the command for a platform. It returns the archive, and the list of what is in it.
func (b *builder) assets(platform string) ([]file, error) {
	program, err := b.install(platform)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	if err := b.match(info); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	name := strings.Join([]string{path.Base(command), b.version, strings.ReplaceAll(platform, "/", "_")}, "_")
	archive, err := pack(name, append([]file{{filepath.Base(program), content}}, b.beside...), b.time)
	if err != nil {
		return nil, err
	}
	parts, err := json.MarshalIndent(bill(info, b.time), "", "  ")
	return []file{{name + ".tar.gz", archive}, {name + ".cdx.json", append(parts, '\n')}}, err
}

// match returns an error if a program was linked of a module that go.sum has not.
func (b *builder) match(info *buildinfo.BuildInfo) error {
	for _, dep := range info.Deps {
		if !slices.Contains(b.paths, dep.Path) && !strings.Contains(b.sums, fmt.Sprintf("%s %s %s\n", dep.Path, dep.Version, dep.Sum)) {
			return fmt.Errorf("%s/go.sum hasn't the %s %s that was linked, with the checksum %s: look where it came from, or run go mod tidy there", command, dep.Path, dep.Version, dep.Sum)
		}
	}
	return nil
}

// install builds the command for a platform and returns its path.
func (b *builder) install(platform string) (string, error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return "", errors.New("want a platform like linux/amd64")
	}
	at := b.paths[0] + "/" + command
	cmd := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w -X "+at+"/internal/build/library.commit="+b.commit, at+"@"+b.version)
	cmd.Env = append(b.env, "GOOS="+goos, "GOARCH="+goarch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install: %w\n%s", err, out)
	}
	dir, name := filepath.Join(b.dir, "bin"), path.Base(command)
	if goos != runtime.GOOS || goarch != runtime.GOARCH {
		dir = filepath.Join(dir, goos+"_"+goarch)
	}
	if goos == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name), nil
}

// pack returns an archive of files in a folder. The first one can be executed.
func pack(dir string, files []file, when time.Time) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	mode := int64(0o755)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: dir + "/" + f.name, Mode: mode, Size: int64(len(f.content)), ModTime: when}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
		mode = 0o644
	}
	err := errors.Join(w.Close(), z.Close())
	return packed.Bytes(), err
}
