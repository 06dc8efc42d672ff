package build

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/mod/module"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/notes"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
)

// A preparation is what the stages of Prepare have found so far.
type preparation struct {
	*Options
	*Build

	dir       string                    // that the user means
	set       gocmd.Flags               // GOFLAGS and the user's own flags
	std       *known                    // of the standard library
	pkgs      []*gocmd.Package          // all, in the order of go list
	selection *selection                // which functions are instrumented
	copies    map[module.Version]string // of modules that are rewritten in the module cache
}

// stages are those of Prepare, in order.
var stages = []func(*preparation) error{
	(*preparation).settle,  // the folder, the go command and its settings
	(*preparation).testing, // before the packages are listed and rewritten: testing may be one of them
	(*preparation).list,    // the packages
	(*preparation).answers, // net/http, before it may be rewritten
	(*preparation).choose,  // functions, by patterns and groups
	(*preparation).rewrite, // the packages, and checks that patterns named something
	(*preparation).finish,  // the runtime, and the flags that bring all together
	(*preparation).tools,   // in place of cover, vet and the linker, where they must see other files
}

// Prepare makes a build ready.
func Prepare(o *Options) (*Build, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	p := &preparation{Options: o, Build: &Build{
		Asked: o.Args, Given: o.Flags.Without("C"), cache: o.Cache, asked: o.text(),
		overlay: make(map[string]string), runs: make(map[string][]edit.Run), user: make(map[string]string),
	}}
	for _, stage := range stages {
		if err := stage(p); err != nil {
			return nil, err
		}
	}
	return p.Build, o.Cache.Trim()
}

// settle finds the folder, the go command and its settings.
func (p *preparation) settle() error {
	given := p.Options.Flags
	if err := given.Refuse(); err != nil {
		return err
	}
	p.dir = p.Dir
	if c, ok := given.Lookup("C"); ok {
		if p.dir = c; !filepath.IsAbs(p.dir) {
			p.dir = filepath.Join(p.Dir, c)
		}
	}
	work, err := p.atVersion(p.Options, p.dir)
	if err != nil {
		return err
	}
	var extra []string
	if p.Version != "" {
		extra = []string{"GOWORK=off"}
	}
	env, err := gocmd.LoadEnv(work, filepath.Join(p.Cache.Dir, "links"), extra...)
	if err != nil {
		return err
	}
	if err := env.RefuseGOPATH(p.Asked); err != nil {
		return err
	}
	p.Env, p.Plain = env, env.Clone()
	settings := env.Settings()
	if err := settings.Refuse(); err != nil {
		return fmt.Errorf("GOFLAGS: %w", err)
	}
	p.set = append(settings, p.Given...)
	if err := p.readUserOverlay(p.set); err != nil {
		return err
	}
	p.std, err = closures(env, p.Cache)
	return err
}

// testing patches package testing for go test.
func (p *preparation) testing() error {
	if !p.Test {
		return nil
	}
	files, err := toolchain.PatchTesting(p.Env.GOROOT, p.Env.GOVERSION, p.UntestedGo)
	if err != nil {
		return err
	}
	return p.patch(p.Cache, files)
}

// answers patches package net/http, if it is linked: it tells how requests were answered.
func (p *preparation) answers() error {
	if p.packages["net/http"] == nil {
		return nil
	}
	files, err := toolchain.PatchHTTP(p.Env.GOROOT, p.Env.GOVERSION, p.UntestedGo)
	if err != nil {
		return err
	}
	return p.patch(p.Cache, files)
}

// list asks the go command for the packages.
func (p *preparation) list() error {
	p.Progress("listing packages")
	modules, err := p.withModules(p.Given, nil, p.overlay)
	if err != nil {
		return err
	}
	if p.pkgs, err = p.Env.List(modules.ForList(), p.Asked, p.Test); err != nil {
		return err
	}
	p.packages, p.names = make(map[string]*gocmd.Package), make(map[string]string)
	for _, pkg := range p.pkgs {
		p.packages[pkg.ImportPath], p.names[pkg.ImportPath] = pkg, pkg.Name
		if !pkg.DepOnly {
			p.Main = append(p.Main, pkg)
		}
	}
	return nil
}

// choose finds out what the patterns name.
func (p *preparation) choose() (err error) {
	if len(p.USDT) > 0 {
		if err := p.checkUSDT(); err != nil {
			return err
		}
	}
	if p.selection, err = newSelection(p.Options, p.dir); err != nil {
		return err
	}
	if p.Version != "" {
		p.selection.asked = p.Main
	}
	p.selection.resolve(p.pkgs)
	if p.Test {
		if err := p.linkAgent(p.Options, p.pkgs, p.std); err != nil {
			return err
		}
	}
	return p.findGroups(p.Options, p.selection, p.pkgs)
}

// rewrite rewrites the packages.
func (p *preparation) rewrite() (err error) {
	if p.copies, err = p.Build.rewrite(p.Options, p.selection, p.pkgs, p.std); err != nil {
		return err
	}
	p.Build.Args = append(p.Build.Args, p.Asked...)
	for _, f := range p.Files {
		// Where files are named, a generated one must be named too, in the same way.
		if f.Package == "command-line-arguments" && f.Generated {
			p.Build.Args = append(p.Build.Args, filepath.Join(filepath.Dir(p.Options.Args[0]), filepath.Base(f.Path)))
		}
	}
	return p.check(p.selection, p.pkgs)
}

// finish patches the runtime, and makes the flags of the go command.
func (p *preparation) finish() error {
	files, err := toolchain.Patch(p.Env.GOROOT, p.Env.GOVERSION, p.UntestedGo, p.std.Agent)
	if err != nil {
		return err
	}
	if err := p.patch(p.Cache, files); err != nil {
		return err
	}
	if p.Build.Flags, err = p.withModules(p.Given, p.copies, p.overlay); err != nil {
		return err
	}
	_, named := p.Given.Lookup("o")
	if p.Version != "" && !named && slices.ContainsFunc(p.Main, func(pkg *gocmd.Package) bool { return pkg.Name == "main" }) {
		// Not into the module that was made for the packages.
		p.Build.Flags = append(p.Build.Flags, "-o="+p.dir+string(filepath.Separator))
	}
	return nil
}

// tools has this command stand in for tools of the go command.
func (p *preparation) tools() error {
	if p.set.Covers() {
		if err := p.cover(p.Options, p.set, p.std, p.copies); err != nil {
			return err
		}
	}
	if p.Test && vets(p.set) {
		if err := p.vet(p.Options, p.set); err != nil {
			return err
		}
	}
	if err := p.checkProbes(p.Options, p.selection, p.pkgs); err != nil {
		return err
	}
	if p.probes > 0 {
		// To add USDT notes to programs that have been linked.
		return p.standIn(p.set, notes.Words)
	}
	return nil
}
