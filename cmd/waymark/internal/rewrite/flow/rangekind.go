package flow

import (
	"go/ast"
	"go/types"
)

// A RangeKind says what a range clause goes over, as far as is known.
type RangeKind int

const (
	OverUnknown RangeKind = iota
	OverFunc
	OverValue // anything but a function
)

// RangeOver classifies a range clause. Types that depend on packages whose
// types aren't known are unknown.
func RangeOver(info *types.Info, stmt *ast.RangeStmt) RangeKind {
	t := info.TypeOf(stmt.X)
	if t == nil {
		return OverUnknown
	}
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return OverFunc
	case *types.Basic:
		if t.Kind() == types.Invalid {
			return OverUnknown
		}
		return OverValue
	case *types.Interface: // a type parameter
		return overTypeSet(t)
	}
	return OverValue
}

// overTypeSet classifies a range clause over a type parameter. All types of
// its set have the same underlying type, or the code isn't valid.
func overTypeSet(constraint *types.Interface) RangeKind {
	for i := range constraint.NumEmbeddeds() {
		t := constraint.EmbeddedType(i)
		if union, ok := t.Underlying().(*types.Union); ok && union.Len() > 0 {
			t = union.Term(0).Type()
		}
		switch t := t.Underlying().(type) {
		case *types.Signature:
			return OverFunc
		case *types.Interface:
			if kind := overTypeSet(t); kind != OverUnknown {
				return kind
			}
		case *types.Basic:
			if t.Kind() != types.Invalid {
				return OverValue
			}
		default:
			return OverValue
		}
	}
	return OverUnknown
}
