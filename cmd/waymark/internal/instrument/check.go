package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"

	"github.com/waymark-go/waymark/cmd/waymark/internal/stdlib"
)

// check computes what types can be known. The result serves estimates and
// choices that have a safe side, so errors, which without the imported
// packages are many, don't matter.
func (u *unit) check() {
	defer func() {
		// The type checker has been known to panic on code that isn't valid.
		// That is for the compiler to tell; here, nothing is known then.
		if recover() != nil {
			u.info = new(types.Info)
		}
	}()
	u.info = &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{
		Error:                    func(error) {},
		Importer:                 u.opts.Importer,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
	}
	if conf.Importer == nil {
		conf.Importer = defaultImporter{u.opts}
	}
	var trees []*ast.File
	for _, src := range u.build {
		if src.tree.Name.Name == u.build[0].tree.Name.Name {
			trees = append(trees, src.tree)
		}
	}
	conf.Check(u.group.ImportPath, u.fset, trees, u.info)
}

// A defaultImporter knows the standard library, and of other packages that they exist: all
// that is selected from those has an invalid type.
type defaultImporter struct {
	opts *Options
}

func (d defaultImporter) Import(importPath string) (*types.Package, error) {
	pkg := stdlib.Import(importPath)
	if importPath == "runtime" && pkg != nil {
		pkg = d.runtime(pkg)
	}
	if pkg == nil {
		pkg = types.NewPackage(importPath, path.Base(importPath))
		pkg.MarkComplete()
	}
	return pkg, nil
}

// runtime returns package runtime with the constants for the target's system, for which there
// is often a choice of literals.
func (d defaultImporter) runtime(std *types.Package) *types.Package {
	pkg := types.NewPackage("runtime", "runtime")
	if d.opts.GOOS != "" && d.opts.GOARCH != "" {
		for name, value := range map[string]string{"GOOS": d.opts.GOOS, "GOARCH": d.opts.GOARCH} {
			pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.String], constant.MakeString(value)))
		}
	}
	for _, name := range std.Scope().Names() {
		if pkg.Scope().Lookup(name) == nil {
			pkg.Scope().Insert(std.Scope().Lookup(name))
		}
	}
	pkg.MarkComplete()
	return pkg
}
