// Package text writes values of the program for people, as monitors print them: as package value prints
// those of recordings.
//
//	text.AppendList(nil, []any{"a", 7, err}) // "a", 7, file does not exist
package text

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// Limits bound values as text.
type Limits struct {
	value.Limits
	Error int // bytes of the text of an error
	Width int // columns of a value; 0: no limit
}

// Usual are the limits of a line, Full those of a value that somebody has asked for.
var (
	Usual = Limits{value.Limits{Text: 64, Elements: 8, Nesting: 2}, 1 << 10, 0}
	Full  = Limits{value.Limits{Text: 4 << 10, Elements: 1000, Nesting: 8, Bytes: 8 << 10}, 8 << 10, 0}
)

// Append appends a value, as the function Append does, within other limits.
func (l Limits) Append(dst []byte, v any) []byte {
	dst, _ = l.append(dst, v)
	return dst
}

// AppendList appends values, separated by commas.
func AppendList(dst []byte, list []any) []byte {
	dst, _ = AppendMasked(dst, list)
	return dst
}

// AppendMasked does what AppendList does. It reports whether it has written *** in the place of a
// value.
func AppendMasked(dst []byte, list []any) (out []byte, masked bool) {
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		var one bool
		dst, one = Usual.append(dst, v)
		masked = masked || one
	}
	return dst, masked
}

// Append appends a value. The only method of the program that Append calls is Error: other methods may
// wait for a lock that the traced function holds. Append follows no pointer and looks into no map,
// because other goroutines may be writing there.
func Append(dst []byte, v any) []byte { return Usual.Append(dst, v) }

func (l Limits) append(dst []byte, v any) (out []byte, masked bool) {
	p := value.Printer{Width: l.Width}
	of := l.value(v)
	return append(dst, p.Value(&of)...), p.Masked
}

func (l Limits) value(v any) value.Value {
	switch v := v.(type) {
	case rt.Masked:
		return value.Value{State: value.Masked}
	case error:
		if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
			return value.Value{State: value.Nil}
		}
		return value.TextOf(errorText(v), l.Error)
	}
	return value.Of(v, l.Limits, nameHidden, TypeHidden)
}

// nameHidden reports whether values of that name aren't to be seen.
func nameHidden(name string) bool { return format.LooksSecret(name, Secrets()) }

// errorText returns the text of an error. Error may panic: monitors see errors whose text the
// program never asks for.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T: its Error panics", err)
		}
	}()
	return err.Error()
}

// Secrets returns the words in the names of fields whose values are masked. Package agent sets the
// function that returns the words of the build.
var Secrets = func() []string { return usual }

var usual = strings.Split(format.DefaultRedact, ",")

// TypeHidden reports whether values of a type aren't to be seen. The type's name says so, or the
// type has the method LogValue. By that method values say what logs may hold of them. Package
// runtime decides alike of recorded values.
func TypeHidden(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String, reflect.Struct:
		words := Secrets()
		return t.PkgPath() != "" && words != nil && (format.TypeLooksSecret(t.PkgPath(), t.Name(), words) || logs(t))
	}
	return false
}

// logs reports whether a type is a slog.LogValuer. To name that would have every program carry log/slog.
func logs(t reflect.Type) bool {
	m, ok := t.MethodByName("LogValue")
	if !ok || m.Type.NumIn() != 1 || m.Type.NumOut() != 1 {
		return false
	}
	out := m.Type.Out(0)
	return out.PkgPath() == "log/slog" && out.Name() == "Value"
}
