package instrument

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probetable"
	"github.com/waymark-go/waymark/internal/wire/usdt"
	"github.com/waymark-go/waymark/probe"
)

// probePath is the path of the package whose types providers are made of.
const probePath = "github.com/waymark-go/waymark/probe"

// A provider is a struct type that embeds probe.Provider. Its probes get locations in the program's
// file, which the library uses when it registers a provider of the type under the type's own name.
type provider struct {
	typ   string // with its package's path, as package reflect has it
	name  string
	sites []probetable.Site
}

// providerIndex is from where on sites have indexes that are no function's.
const providerIndex = 1 << 30

// providers finds the provider types of a unit. It leaves out those that the library refuses, and those
// that have arguments of types which this unit doesn't declare: their sizes aren't known here. The
// library makes locations for them when the program runs.
func providers(t *syntax.Tree) (list []provider) {
	for _, src := range t.Files {
		if src.AST == nil {
			continue
		}
		as := ""
		for _, spec := range src.AST.Imports {
			if syntax.ImportPath(spec) != probePath {
				continue
			}
			if as = "probe"; spec.Name != nil {
				as = spec.Name.Name
			}
		}
		if as == "" || as == "_" || as == "." {
			continue
		}
		for _, decl := range src.AST.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || s.TypeParams != nil || s.Assign.IsValid() {
					continue
				}
				if fields, ok := s.Type.(*ast.StructType); ok {
					if p, ok := readProvider(t, as, s.Name, fields); ok {
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

// readProvider reads a struct type, and reports whether it is a provider that can be had. as is the name
// of package probe in its file.
func readProvider(t *syntax.Tree, as string, id *ast.Ident, fields *ast.StructType) (provider, bool) {
	path := t.Unit.ImportPath
	if t.Unit.Main {
		path = "main"
	}
	p := provider{typ: path + "." + id.Name, name: id.Name}
	base := probetable.Probe{}
	embedded := false
	var used []string
	for _, field := range fields.Fields.List {
		tag := readTag(field.Tag)
		if name, _ := selected(field.Type, as); name == "Provider" && len(field.Names) == 0 {
			given, options := split(tag.Get("probe"))
			if embedded = true; given != "" {
				p.name = given
			}
			base.Module = options["module"]
			attributes, err := attributes(tag.Get("stability"))
			if err != nil {
				return p, false
			}
			base.Attributes = attributes
			continue
		}
		if tag.Get("probe") == "-" {
			continue
		}
		name, arguments := selected(field.Type, as)
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "P")); err != nil || !strings.HasPrefix(name, "P") || n != len(arguments) {
			return p, false
		}
		for _, id := range field.Names {
			if id.Name == "_" {
				continue
			}
			one := base
			one.Name = id.Name
			given, options := split(tag.Get("probe"))
			if given != "" {
				one.Name = given
			}
			one.Function = options["function"]
			for _, arg := range arguments {
				size, ok := argumentSize(typeOf(t, id, arg))
				if !ok {
					return p, false
				}
				one.Args = append(one.Args, probetable.Argument{Name: "_", Type: types.ExprString(arg), Size: size})
			}
			if usdt.CheckName(one.Name) != nil || slices.Contains(used, one.Name) {
				return p, false
			}
			used = append(used, one.Name)
			p.sites = append(p.sites, probetable.Site{Entry: &one})
		}
	}
	for i := range p.sites {
		p.sites[i].Entry.Provider = p.name
		p.sites[i].Entry.Module = base.Module
		p.sites[i].Entry.Attributes = base.Attributes
	}
	return p, embedded && len(p.sites) > 0 && usdt.CheckProvider(p.name) == nil
}

// readTag returns the tag of a field.
func readTag(lit *ast.BasicLit) reflect.StructTag {
	if lit == nil {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text)
}

// split returns the name that a tag begins with, and its options.
func split(tag string) (name string, options map[string]string) {
	items := strings.Split(tag, ",")
	options = make(map[string]string)
	for _, item := range items[1:] {
		key, value, _ := strings.Cut(item, "=")
		options[key] = value
	}
	return items[0], options
}

// attributes returns what a tag says of stability, as package probe understands it.
func attributes(tag string) (usdt.Attributes, error) {
	sets, err := probe.ParseAttributeSets(tag)
	if err != nil {
		return usdt.Attributes{}, err
	}
	return usdt.Attributes{
		Provider: sets.Provider.String(), Module: sets.Module.String(), Function: sets.Function.String(),
		Name: sets.Name.String(), Args: sets.Args.String(),
	}, nil
}

// selected returns the name in package as, and its type arguments, of a type like probe.P2[int, string];
// an empty name of any other type.
func selected(typ ast.Expr, as string) (name string, arguments []ast.Expr) {
	switch x := typ.(type) {
	case *ast.IndexExpr:
		typ, arguments = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		typ, arguments = x.X, x.Indices
	}
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return "", nil
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != as {
		return "", nil
	}
	return sel.Sel.Name, arguments
}

// typeOf returns the type that an expression names beside a declared identifier. The checker does not
// look at type arguments of types that it doesn't know.
func typeOf(t *syntax.Tree, declared *ast.Ident, expr ast.Expr) types.Type {
	if typ := t.Info.TypeOf(expr); typ != nil {
		return typ
	}
	obj := t.Info.Defs[declared]
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	if types.CheckExpr(t.Fset, obj.Pkg(), expr.Pos(), expr, info) != nil {
		return nil
	}
	return info.TypeOf(expr)
}

// argumentSize returns how many bytes a probe of the library passes of a value, negative of signed
// integers, and reports whether that is known here.
func argumentSize(t types.Type) (int, bool) {
	if t == nil {
		return 0, false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Int8:
			return -1, true
		case types.Int16:
			return -2, true
		case types.Int32:
			return -4, true
		case types.Int, types.Int64:
			return -8, true
		case types.Bool, types.Uint8:
			return 1, true
		case types.Uint16:
			return 2, true
		case types.Uint32, types.Float32:
			return 4, true
		case types.Uint, types.Uint64, types.Uintptr, types.Float64, types.String, types.UnsafePointer, types.Complex64, types.Complex128:
			return 8, true
		}
		return 0, false
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return 8, true
	}
	return 0, false
}
