package condition

import (
	"errors"
	"reflect"
	"strings"
)

// Fits returns an error if the condition can hold for no call of f, as far as that is known before
// the first call. It is known from the names of the arguments and results, and from ArgTypes and
// ResultTypes. The types are as in the source, and empty where a type is not known or is an
// interface.
func (p *Program) Fits(f *Function) error {
	args := Shape{Names: f.Args, Types: earlyTypes(f.Args, f.ArgTypes), Secret: f.Secret, Line: f.Line, early: true}
	results := Shape{Names: f.Results, Types: earlyTypes(f.Results, f.ResultTypes), Secret: f.Secret, early: true}
	for _, c := range p.Slots {
		if err := new(binder).fits(c, args); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		Code
		Shape
	}{{p.Enter, args}, {p.Exit, results}} {
		b := new(binder)
		if err := b.fits(part.Code, part.Shape); err != nil {
			return err
		}
		if b.last.never {
			return errors.New(b.why)
		}
	}
	return nil
}

func (b *binder) fits(c Code, s Shape) error {
	if len(c) == 0 {
		return nil
	}
	b.shape = s
	return b.code(c)
}

// earlyTypes returns the types of values that have names.
func earlyTypes(names, texts []string) []reflect.Type {
	list := make([]reflect.Type, len(names))
	for i := range list {
		list[i] = anyType
		if i < len(texts) {
			list[i] = typeOf(texts[i])
		}
	}
	return list
}

// typeOf returns the type that a text names; anyType if that is not a predeclared type, or a slice of
// one.
func typeOf(text string) reflect.Type {
	elem, slice := strings.CutPrefix(text, "...")
	if !slice {
		elem, slice = strings.CutPrefix(text, "[]")
	}
	switch t := predeclared[elem]; {
	case t == nil:
		return anyType
	case slice:
		return reflect.SliceOf(t)
	default:
		return t
	}
}

var anyType = reflect.TypeOf((*any)(nil)).Elem()

var predeclared = func() map[string]reflect.Type {
	types := map[string]reflect.Type{"error": errorType, "byte": reflect.TypeOf(byte(0)), "rune": reflect.TypeOf(rune(0))}
	for _, v := range []any{false, "", 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), 0.0, complex64(0), complex128(0)} {
		types[reflect.TypeOf(v).String()] = reflect.TypeOf(v)
	}
	return types
}()
