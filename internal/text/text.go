// Package text writes values of the program for people, as monitors print them.
//
//	text.AppendList(nil, []any{"a", 7, err}) // "a", 7, "file does not exist"
package text

import (
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
)

// Limits bound values as text.
type Limits struct {
	Text     int // bytes of a string
	Elements int // of slices, arrays and structs
	Nesting  int
	Bytes    int // of a value: it may become longer by one part; 0: no limit
}

// Usual are the limits of a line, Full those of a value that somebody has asked for.
var (
	Usual = Limits{Text: 64, Elements: 8, Nesting: 2}
	Full  = Limits{Text: 4 << 10, Elements: 1000, Nesting: 8, Bytes: 8 << 10}
)

// Append appends a value in Go's syntax, as the function Append does, within other limits.
func (l Limits) Append(dst []byte, v any) []byte {
	w := writer{limits: l}
	if l.Bytes > 0 {
		w.end = len(dst) + l.Bytes
	}
	return w.append(dst, v)
}

// AppendList appends values in Go's syntax, separated by commas.
func AppendList(dst []byte, list []any) []byte {
	dst, _ = AppendMasked(dst, list)
	return dst
}

// AppendMasked does what AppendList does. It reports whether it has written *** in the place of a
// value.
func AppendMasked(dst []byte, list []any) (out []byte, masked bool) {
	w := writer{limits: Usual}
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = w.append(dst, v)
	}
	return dst, w.masked
}

// Append appends a value in Go's syntax. The only method of the program that Append calls is Error:
// other methods may wait for a lock that the traced function holds. Append follows no pointer and
// looks into no map, because other goroutines may be writing there.
func Append(dst []byte, v any) []byte { return Usual.Append(dst, v) }

// A writer writes values.
type writer struct {
	limits Limits
	end    int  // of dst, where elements and fields are left out; 0: no end
	masked bool // it has left out a value
}

// full reports whether the i-th element or field is left out.
func (w *writer) full(dst []byte, i int) bool {
	return i == w.limits.Elements || w.end > 0 && len(dst) > w.end
}

func (w *writer) mask(dst []byte) []byte {
	w.masked = true
	return append(dst, "***"...)
}

func (w *writer) append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "nil"...)
	case rt.Masked:
		return w.mask(dst)
	case error:
		if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
			return append(dst, "nil"...)
		}
		return w.text(dst, errorText(v))
	}
	return w.value(dst, reflect.ValueOf(v), w.limits.Nesting)
}

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

// TypeHidden reports whether values of a type aren't to be seen: by the type's name, or because it
// has the method LogValue, by which values say what logs may hold of them. Package runtime decides
// alike of recorded values.
func TypeHidden(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String, reflect.Struct:
		words := Secrets()
		return t.PkgPath() != "" && words != nil && (format.TypeLooksSecret(t.PkgPath(), t.Name(), words) || t.Implements(logValuer))
	}
	return false
}

var logValuer = reflect.TypeOf((*slog.LogValuer)(nil)).Elem()

func (w *writer) value(dst []byte, v reflect.Value, depth int) []byte {
	if v.IsValid() && TypeHidden(v.Type()) {
		return w.mask(dst)
	}
	switch v.Kind() {
	case reflect.Invalid:
		return append(dst, "nil"...)
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case reflect.Float32:
		return strconv.AppendFloat(dst, v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.AppendFloat(dst, v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return fmt.Append(dst, v.Complex())
	case reflect.String:
		return w.text(dst, v.String())
	case reflect.Interface:
		return w.value(dst, v.Elem(), depth)
	case reflect.Slice, reflect.Array:
		return w.list(dst, v, depth)
	case reflect.Struct:
		return w.fields(dst, v, depth)
	case reflect.Map:
		if v.IsNil() {
			return append(dst, "nil"...)
		}
		return fmt.Appendf(dst, "%v{...}", v.Type())
	default: // Pointer, UnsafePointer, Chan, Func
		if v.IsNil() {
			return append(dst, "nil"...)
		}
		return fmt.Appendf(dst, "(%v)(%#x)", v.Type(), v.Pointer())
	}
}

func (w *writer) text(dst []byte, s string) []byte {
	if len(s) <= w.limits.Text {
		return strconv.AppendQuote(dst, s)
	}
	cut := w.limits.Text
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	dst = strconv.AppendQuote(dst, s[:cut])
	return fmt.Appendf(dst, "...(%d bytes)", len(s))
}

func (w *writer) list(dst []byte, v reflect.Value, depth int) []byte {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return append(dst, "nil"...)
	}
	if depth == 0 && v.Len() > 0 {
		return fmt.Appendf(dst, "[%d]{...}", v.Len())
	}
	dst = append(dst, '[')
	for i := 0; i < v.Len(); i++ {
		if i > 0 {
			dst = append(dst, ' ')
		}
		if w.full(dst, i) {
			dst = fmt.Appendf(dst, "...(%d)", v.Len())
			break
		}
		dst = w.value(dst, v.Index(i), depth-1)
	}
	return append(dst, ']')
}

func (w *writer) fields(dst []byte, v reflect.Value, depth int) []byte {
	if depth == 0 && v.NumField() > 0 {
		return append(dst, "{...}"...)
	}
	secrets := Secrets()
	dst = append(dst, '{')
	for i := 0; i < v.NumField(); i++ {
		if i > 0 {
			dst = append(dst, ' ')
		}
		if w.full(dst, i) {
			dst = append(dst, "..."...)
			break
		}
		name := v.Type().Field(i).Name
		dst = append(append(dst, name...), ':')
		if format.LooksSecret(name, secrets) {
			dst = w.mask(dst)
			continue
		}
		dst = w.value(dst, v.Field(i), depth-1)
	}
	return append(dst, '}')
}
