package stdlib

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A declarer writes the declarations of one package: what users can name, and the types
// that those have or embed.
type declarer struct {
	pkg     *types.Package
	prices  map[string]string // bodies, by types.Func.FullName
	imports map[string]bool
	pending []*types.TypeName // types to declare
	seen    map[*types.TypeName]bool
	body    strings.Builder
}

// declare returns the source of a package without bodies and without what isn't exported.
func declare(pkg *types.Package, prices map[string]string) string {
	d := &declarer{pkg: pkg, prices: prices, imports: make(map[string]bool), seen: make(map[*types.TypeName]bool)}
	scope := pkg.Scope()
	vars := make(map[string][]string) // by type
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Const:
			if obj.Exported() && pkg.Path() != "syscall" {
				d.constant(obj)
			}
		case *types.Var:
			if obj.Exported() {
				typ := d.typ(obj.Type())
				vars[typ] = append(vars[typ], name)
			}
		case *types.Func:
			if obj.Exported() {
				d.function(obj)
			}
		case *types.TypeName:
			if obj.Exported() {
				d.want(obj)
			}
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(&d.body, "var %s %s\n", strings.Join(vars[typ], ", "), typ)
	}
	for len(d.pending) > 0 {
		obj := d.pending[0]
		d.pending = d.pending[1:]
		d.typeName(obj)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", pkg.Name())
	for _, path := range slices.Sorted(maps.Keys(d.imports)) {
		fmt.Fprintf(&b, "import %s %q\n", alias(path), path)
	}
	return b.String() + d.body.String()
}

// alias returns the name under which a package is imported: no declared name is like it.
func alias(path string) string {
	return strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path)
}

// want has a type declared.
func (d *declarer) want(obj *types.TypeName) {
	if obj.Pkg() == d.pkg && obj.Parent() == d.pkg.Scope() && !d.seen[obj] {
		d.seen[obj] = true
		d.pending = append(d.pending, obj)
	}
}

// typ writes a type, and has those declared that it names.
func (d *declarer) typ(t types.Type) string {
	d.refer(t)
	return types.TypeString(t, d.qualifier)
}

func (d *declarer) qualifier(p *types.Package) string {
	if p == d.pkg {
		return ""
	}
	d.imports[p.Path()] = true
	return alias(p.Path())
}

// refer finds the types that a type names.
func (d *declarer) refer(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		d.want(t.Obj())
		d.list(t.TypeArgs())
	case *types.Named:
		d.want(t.Obj())
		d.list(t.TypeArgs())
	case *types.Pointer:
		d.refer(t.Elem())
	case *types.Slice:
		d.refer(t.Elem())
	case *types.Array:
		d.refer(t.Elem())
	case *types.Chan:
		d.refer(t.Elem())
	case *types.Map:
		d.refer(t.Key())
		d.refer(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			d.refer(v.Type())
		}
		for v := range t.Results().Variables() {
			d.refer(v.Type())
		}
		for p := range t.TypeParams().TypeParams() {
			d.refer(p.Constraint())
		}
	case *types.Struct:
		for f := range t.Fields() {
			d.refer(f.Type())
		}
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			d.refer(t.EmbeddedType(i))
		}
		for m := range t.ExplicitMethods() {
			d.refer(m.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			d.refer(term.Type())
		}
	}
}

func (d *declarer) list(l *types.TypeList) {
	for t := range l.Types() {
		d.refer(t)
	}
}

func (d *declarer) constant(obj *types.Const) {
	value := obj.Val().ExactString()
	if obj.Val().Kind() == constant.String {
		value = strconv.Quote(constant.StringVal(obj.Val()))
	}
	typ := ""
	basic, ok := obj.Type().(*types.Basic)
	switch {
	case !ok || basic.Info()&types.IsUntyped == 0:
		typ = " " + d.typ(obj.Type())
	case basic.Kind() == types.UntypedRune:
		value = "'\\x00' + " + value // may be none that a literal can be
	case basic.Kind() == types.UntypedFloat:
		f, _ := constant.Float64Val(obj.Val())
		value = strconv.FormatFloat(f, 'e', -1, 64)
	}
	fmt.Fprintf(&d.body, "const %s%s = %s\n", obj.Name(), typ, value)
}

func (d *declarer) function(f *types.Func) {
	sig := f.Signature()
	d.refer(sig)
	fmt.Fprintf(&d.body, "func ")
	if recv := sig.Recv(); recv != nil {
		fmt.Fprintf(&d.body, "(%s) ", d.typ(recv.Type()))
	}
	signature := strings.TrimPrefix(types.TypeString(nameless(sig), d.qualifier), "func")
	body := d.prices[f.FullName()]
	if body == "" && sig.TypeParams() != nil {
		body = fmt.Sprintf(" { %d }", notInlined) // they must have one
	}
	fmt.Fprintf(&d.body, "%s%s%s\n", f.Name(), signature, body)
}

// nameless drops the names of parameters and results.
func nameless(sig *types.Signature) *types.Signature {
	drop := func(t *types.Tuple) *types.Tuple {
		var list []*types.Var
		for v := range t.Variables() {
			list = append(list, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(list...)
	}
	if sig.TypeParams() != nil {
		return sig // they can't be given to another one
	}
	return types.NewSignatureType(nil, nil, nil, drop(sig.Params()), drop(sig.Results()), sig.Variadic())
}

func (d *declarer) typeName(obj *types.TypeName) {
	var params *types.TypeParamList
	named, _ := obj.Type().(*types.Named)
	equals := ""
	var right types.Type
	switch t := obj.Type().(type) {
	case *types.Alias:
		params, equals, right = t.TypeParams(), "= ", t.Rhs()
	case *types.Named:
		params, right = t.TypeParams(), t.Underlying()
	default:
		equals, right = "= ", t
	}
	var list []string
	for p := range params.TypeParams() {
		list = append(list, p.Obj().Name()+" "+d.typ(p.Constraint()))
	}
	head := obj.Name()
	if list != nil {
		head += "[" + strings.Join(list, ", ") + "]"
	}
	fmt.Fprintf(&d.body, "type %s %s%s\n", head, equals, d.underlying(right))
	if named == nil || equals != "" {
		return
	}
	var methods []*types.Func
	for m := range named.Methods() {
		if m.Exported() {
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	for _, m := range methods {
		d.function(m)
	}
}

// underlying writes a type without what isn't exported. Where fields are left out, _ keeps a
// field from coming first that doesn't.
func (d *declarer) underlying(t types.Type) string {
	var list []string
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			switch {
			case f.Embedded():
				list = append(list, d.typ(f.Type()))
			case f.Exported():
				list = append(list, f.Name()+" "+d.typ(f.Type()))
			case len(list) == 0:
				list = append(list, "_ int")
			}
		}
		return "struct { " + strings.Join(list, "; ") + " }"
	case *types.Interface:
		for i := range t.NumEmbeddeds() {
			list = append(list, d.typ(t.EmbeddedType(i)))
		}
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				list = append(list, m.Name()+strings.TrimPrefix(d.typ(nameless(m.Signature())), "func"))
			}
		}
		return "interface { " + strings.Join(list, "; ") + " }"
	}
	return d.typ(t)
}
