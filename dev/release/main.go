// Release writes the modules that others use as a module proxy in a folder, and says which
// tags publish them: make release.
//
//	release -version v0.9.0 -out DIR [-write]
//
// In this repository the modules know each other by go.work alone. In the proxy each
// requires the others at the version that is released. Their go.mod files must say so when
// they are tagged: -write has them say so.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// public are the folders of the modules that are released, the library first.
var public = []string{".", "cmd/waymark", "contrib/otel", "contrib/prometheus"}

func main() {
	version := flag.String("version", "", "version of all modules, as in v0.9.0")
	out := flag.String("out", "", "folder of the module proxy, new or with other versions")
	root := flag.String("root", ".", "the repository")
	write := flag.Bool("write", false, "write the version into the repository's go.mod and go.work files, too")
	flag.Parse()
	if flag.NArg() > 0 || *version == "" || *out == "" {
		fmt.Fprintln(os.Stderr, "release: want -version and -out; make release VERSION=v0.9.0 OUT=DIR")
		os.Exit(2)
	}
	if err := run(*root, *version, *out, *write); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(root, version, out string, write bool) error {
	if err := check(version); err != nil {
		return err
	}
	r, err := open(root, version)
	if err != nil {
		return err
	}
	mods, err := r.modules()
	if err != nil {
		return err
	}
	for _, m := range mods {
		if err := m.put(out, r.time); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Println(m.Version)
	}
	if write {
		for _, f := range r.stale {
			if err := os.WriteFile(filepath.Join(root, f.name), f.content, 0o644); err != nil {
				return err
			}
			fmt.Printf("wrote %s\n", f.name)
		}
	}
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	fmt.Printf("\nto try it:\n\tGOPROXY=file://%s,$(go env GOPROXY) GONOSUMDB=%s go install %s@%s\n",
		filepath.ToSlash(abs), mods[0].Path, mods[0].Path+"/cmd/waymark", version)
	fmt.Print("\nto publish it:\n")
	if r.dirty {
		fmt.Print("\tgit commit      # there were changes without one, which tags would lack; then make release again\n")
	}
	switch {
	case len(r.stale) > 0 && !write:
		fmt.Printf("\tmake release VERSION=%s OUT=%s WRITE=1     # so that these say so: %s\n", version, out, names(r.stale))
		fallthrough
	case len(r.stale) > 0:
		fmt.Printf("\tgit commit -m 'Release %s' %s\n", version, names(r.stale))
	}
	var tags []string
	for _, dir := range public {
		tags = append(tags, strings.TrimPrefix(dir+"/"+version, "./"))
	}
	for _, tag := range tags {
		fmt.Printf("\tgit tag %s\n", tag)
	}
	fmt.Printf("\tgit push origin %s\n", strings.Join(tags, " "))
	return nil
}

func names(files []file) string {
	var list []string
	for _, f := range files {
		list = append(list, f.name)
	}
	return strings.Join(list, " ")
}
