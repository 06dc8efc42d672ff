package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
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
		conf.Importer = unknownImporter{u.opts}
	}
	var trees []*ast.File
	for _, src := range u.build {
		if src.tree.Name.Name == u.build[0].tree.Name.Name {
			trees = append(trees, src.tree)
		}
	}
	conf.Check(u.group.ImportPath, u.fset, trees, u.info)
}

// An unknownImporter gives empty packages, so that all that is selected from
// them has an invalid type. All but the constants for the target's system,
// for which there is often a choice of literals.
type unknownImporter struct {
	opts *Options
}

func (u unknownImporter) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	pkg := types.NewPackage(importPath, path.Base(importPath))
	if importPath == "runtime" && u.opts.GOOS != "" && u.opts.GOARCH != "" {
		for name, value := range map[string]string{"GOOS": u.opts.GOOS, "GOARCH": u.opts.GOARCH} {
			pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.String], constant.MakeString(value)))
		}
	}
	pkg.MarkComplete()
	return pkg, nil
}
