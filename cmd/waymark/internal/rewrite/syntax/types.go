package syntax

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/stdlib"
)

// check computes what types can be known. The result serves estimates and
// choices that have a safe side, so errors, which without the imported
// packages are many, don't matter.
func (t *Tree) check() {
	defer func() {
		// The type checker has been known to panic on code that isn't valid.
		// That is for the compiler to tell; here, nothing is known then.
		if recover() != nil {
			t.Info = new(types.Info)
		}
	}()
	t.Info = &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{
		Error:                    func(error) {},
		Importer:                 t.Config.Importer,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
	}
	if conf.Importer == nil {
		conf.Importer = defaultImporter{t.Config}
	}
	var trees []*ast.File
	for _, src := range t.Build {
		if src.AST.Name.Name == t.Build[0].AST.Name.Name {
			trees = append(trees, src.AST)
		}
	}
	conf.Check(t.Unit.ImportPath, t.Fset, trees, t.Info)
}

// A defaultImporter knows the standard library, and of other packages that they exist: all
// that is selected from those has an invalid type.
type defaultImporter struct {
	config *Config
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
	if d.config.GOOS != "" && d.config.GOARCH != "" {
		for name, value := range map[string]string{"GOOS": d.config.GOOS, "GOARCH": d.config.GOARCH} {
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
