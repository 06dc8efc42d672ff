package instrument

import (
	"go/ast"
	"go/types"
)

// A rangeKind says what a range clause goes over, as far as is known.
type rangeKind int

const (
	overUnknown rangeKind = iota
	overFunc
	overValue // anything but a function
)

// rangeOver classifies a range clause. Types that depend on packages whose
// types aren't known are unknown.
func rangeOver(info *types.Info, stmt *ast.RangeStmt) rangeKind {
	t := info.TypeOf(stmt.X)
	if t == nil {
		return overUnknown
	}
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return overFunc
	case *types.Basic:
		if t.Kind() == types.Invalid {
			return overUnknown
		}
		return overValue
	case *types.Interface: // a type parameter
		return overTypeSet(t)
	}
	return overValue
}

// overTypeSet classifies a range clause over a type parameter. All types of
// its set have the same underlying type, or the code isn't valid.
func overTypeSet(constraint *types.Interface) rangeKind {
	for i := range constraint.NumEmbeddeds() {
		t := constraint.EmbeddedType(i)
		if union, ok := t.Underlying().(*types.Union); ok && union.Len() > 0 {
			t = union.Term(0).Type()
		}
		switch t := t.Underlying().(type) {
		case *types.Signature:
			return overFunc
		case *types.Interface:
			if kind := overTypeSet(t); kind != overUnknown {
				return kind
			}
		case *types.Basic:
			if t.Kind() != types.Invalid {
				return overValue
			}
		default:
			return overValue
		}
	}
	return overUnknown
}
