package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cover"
	"github.com/waymark-go/waymark/cmd/waymark/internal/edit"
	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
)

// keeps notes what a file of the overlay keeps of the one that it replaces, which may be
// a patched one of the toolchain's.
func (b *Build) keeps(path string, runs []edit.Run) {
	if first, ok := b.runs[path]; ok {
		runs = edit.Compose(first, runs)
	}
	if runs != nil {
		b.runs[path] = runs
	}
}

// cover has this command stand between the go command and its tool cover, see package cover.
func (b *Build) cover(c *cache.Cache, flags gocmd.Flags, pkgs []*gocmd.Package, std *known) error {
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
		plan.Added = added(patterns, pkgs, std.Agent)
	}
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	name, err := c.Put(data, ".json")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var user []string
	if value, ok := flags.Lookup("toolexec"); ok {
		if user, err = cover.Split(value); err != nil {
			return fmt.Errorf("-toolexec=%s: %w", value, err)
		}
	}
	flag, err := cover.Flag(self, name, user)
	if err != nil {
		return err
	}
	b.Flags = append(b.Flags.Without("toolexec"), flag)
	return nil
}

// added lists the packages that only the instrumented build has, because the agent imports
// them, and that a -coverpkg may mean. The others need not be known: what is in the list
// is part of what the go command knows results in its cache by.
func added(patterns string, pkgs []*gocmd.Package, agent []string) (list []string) {
	var matchers []func(string) bool
	for _, p := range strings.Split(patterns, ",") {
		switch {
		case p == "all" || p == "std" || p == "cmd":
			matchers = append(matchers, func(string) bool { return true })
		case !strings.HasPrefix(p, ".") && !filepath.IsAbs(p):
			glob := strings.ReplaceAll(regexp.QuoteMeta(p), `\.\.\.`, `.*`)
			glob = strings.TrimSuffix(glob, `/.*`)
			matchers = append(matchers, regexp.MustCompile(`^`+glob+`(/.*)?$`).MatchString)
		}
	}
	plain := make(map[string]bool)
	for _, p := range pkgs {
		plain[p.ImportPath] = true
	}
	for _, path := range agent {
		if !plain[path] && slices.ContainsFunc(matchers, func(match func(string) bool) bool { return match(path) }) {
			list = append(list, path)
		}
	}
	return list
}
