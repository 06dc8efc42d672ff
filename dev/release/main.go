// Release writes a release into a folder, and says how to publish it: make release.
//
//	release -version v0.9.0 -out DIR [-platforms linux/amd64,...] [-verify] [-write]
//
// The folder is a module proxy with the modules that others use. DIR/v0.9.0 has what people
// download: archives of the command, what is in each, notes and checksums.
//
// In this repository the modules know each other by go.work alone. In the proxy each
// requires the others at the version that is released. Their go.mod files must say so when
// they are tagged: -write has them say so.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// public are the folders of the modules that are released, the library first.
var public = []string{".", command, "contrib/prometheus"}

// command is the folder of the command.
const command = "cmd/waymark"

// supported are the platforms for which the command is built.
const supported = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// options say what is released where.
type options struct {
	root, version, out string

	platforms []string // as linux/amd64; if there are none, no command is built
	cache     string   // of builds; empty is the go command's own
}

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "version of all modules, as in v0.9.0")
	flag.StringVar(&o.out, "out", "", "folder of the release, new or with other versions")
	flag.StringVar(&o.root, "root", ".", "the repository")
	platforms := flag.String("platforms", supported, "build the command for these; none writes the module proxy alone")
	verify := flag.Bool("verify", false, "make the release a second time, of a clone and with empty caches, and compare each byte")
	write := flag.Bool("write", false, "write the version into the repository's go.mod and go.work files, too")
	flag.Parse()
	if *platforms != "none" {
		o.platforms = strings.FieldsFunc(*platforms, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if flag.NArg() > 0 || o.version == "" || o.out == "" {
		fmt.Fprintln(os.Stderr, "release: want -version and -out; make release VERSION=v0.9.0 OUT=DIR")
		os.Exit(2)
	}
	if err := run(o, *verify, *write); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(o options, verify, write bool) error {
	r, err := o.release()
	if err != nil {
		return err
	}
	if verify {
		if r.dirty {
			return errors.New("-verify makes the release again of a clone, which lacks changes that are not committed: commit them first")
		}
		if err := o.verify(); err != nil {
			return err
		}
		fmt.Println("made twice, with the same bytes")
	}
	if write {
		for _, f := range r.stale {
			if err := os.WriteFile(filepath.Join(o.root, f.name), f.content, 0o644); err != nil {
				return err
			}
			fmt.Printf("wrote %s\n", f.name)
		}
	}
	return o.explain(r, write)
}

// release writes the release.
func (o options) release() (*repository, error) {
	if err := check(o.version); err != nil {
		return nil, err
	}
	r, err := open(o.root, o.version)
	if err != nil {
		return nil, err
	}
	if err := r.prepare(o.out); err != nil {
		return nil, err
	}
	mods, err := r.modules()
	if err != nil {
		return nil, err
	}
	for _, m := range mods {
		if err := m.put(o.out, r.time); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Println(m.Version)
	}
	if len(o.platforms) == 0 {
		return r, nil
	}
	return r, r.putAssets(o)
}

// explain prints how to try the release, and how to publish it.
func (o options) explain(r *repository, written bool) error {
	abs, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	fmt.Printf("\nto try it:\n\tGOPROXY=file://%s,$(go env GOPROXY) GONOSUMDB=%s go install %s@%s\n",
		filepath.ToSlash(abs), r.paths[0], r.paths[0]+"/"+command, o.version)
	fmt.Print("\nto publish it:\n")
	if r.dirty {
		fmt.Print("\tgit commit      # there were changes without one, which tags would lack\n")
	}
	if len(r.stale) > 0 {
		if !written {
			fmt.Printf("\tmake release VERSION=%s OUT=%s WRITE=1     # so that these say so: %s\n", o.version, o.out, names(r.stale))
		}
		fmt.Printf("\tgit commit -m 'Release %s' %s\n", o.version, names(r.stale))
	}
	if r.dirty || len(r.stale) > 0 {
		fmt.Printf("\tmake release VERSION=%s OUT=%s VERIFY=1     # of what is committed\n", o.version, o.out)
	}
	var tags []string
	for _, dir := range public {
		tags = append(tags, strings.TrimPrefix(dir+"/"+o.version, "./"))
	}
	for _, tag := range tags {
		fmt.Printf("\tgit tag %s\n", tag)
	}
	fmt.Printf("\tgit push origin %s\n", strings.Join(tags, " "))
	if len(o.platforms) > 0 {
		assets := filepath.ToSlash(filepath.Join(o.out, o.version))
		fmt.Printf("\tgh release create %s --notes-file %s/%s %[2]s/*\n", o.version, assets, notesName)
	}
	return nil
}

func names(files []file) string {
	var list []string
	for _, f := range files {
		list = append(list, f.name)
	}
	return strings.Join(list, " ")
}
