package build

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cover"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/internal/pattern"
)

// keeps notes which parts of the replaced file a file of the overlay keeps. The replaced file may
// be a patched file of the toolchain.
func (b *Build) keeps(path string, runs []edit.Run) {
	if first, ok := b.runs[path]; ok {
		runs = edit.Compose(first, runs)
	}
	if runs != nil {
		b.runs[path] = runs
	}
}

// cover puts this command between the go command and its tool cover, see package cover.
func (b *Build) cover(o *Options, flags gocmd.Flags, std *known, copies map[module.Version]string) error {
	plan := cover.Plan{Files: make(map[string]cover.File)}
	for path, to := range b.overlay {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || to == "" {
			continue // never covered
		}
		f := cover.File{Rewritten: to, Runs: b.runs[path]}
		if user, ok := b.user[path]; ok {
			f.Original = user
		} else if f.Runs != nil {
			f.Original = path
		}
		plan.Files[path] = f
	}
	if patterns, ok := flags.Lookup("coverpkg"); ok {
		var err error
		if plan.Uncovered, err = b.uncovered(patterns, o.Test, std, copies); err != nil {
			return err
		}
	}
	return b.standInBy(o, flags, plan, cover.Words)
}

// uncovered lists packages that the patterns of -coverpkg match in this build but not in a plain
// build. These are packages that only the agent imports, and copies of modules whose folders are
// below the user's. Other packages are not listed, because results in the go command's cache
// depend on the list.
func (b *Build) uncovered(patterns string, test bool, std *known, copies map[module.Version]string) (list []string, err error) {
	var set []*pattern.Pattern
	all := false
	for _, text := range strings.Split(patterns, ",") {
		switch text {
		case "", "cmd":
		case "all", "std":
			all = true
		default:
			p, err := pattern.Compile(text, b.Env.Dir)
			if err != nil {
				return nil, fmt.Errorf("-coverpkg: %w", err)
			}
			set = append(set, p)
		}
	}
	meant := func(path, dir string) bool {
		return all || slices.ContainsFunc(set, func(p *pattern.Pattern) bool { return p.MatchPackage(path, dir) })
	}
	plain := b.imports(test)
	if !test {
		for _, path := range std.Runtime {
			plain[path] = true // commands import it, in whatever way
		}
	}
	for _, path := range std.Agent {
		if !plain[path] && (below(path, library.Path) || meant(path, "")) {
			list = append(list, path)
		}
	}
	for path, p := range b.packages {
		if p.Module == nil {
			continue
		}
		if _, ok := copies[module.Version{Path: p.Module.Path, Version: p.Module.Version}]; ok && !meant(path, p.Dir) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list, nil
}

// imports returns the packages that were asked for and all that they import.
func (b *Build) imports(test bool) map[string]bool {
	all := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		p := b.packages[path]
		if p == nil || all[path] {
			return
		}
		all[path] = true
		for _, q := range p.Imports {
			visit(q)
		}
	}
	for _, p := range b.Main {
		visit(p.ImportPath)
		if test {
			for _, q := range slices.Concat(p.TestImports, p.XTestImports) {
				visit(q)
			}
		}
	}
	return all
}
