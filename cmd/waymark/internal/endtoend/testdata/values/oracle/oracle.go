// Package oracle says what the replay of a call should print. It reads values with
// package reflect and leaves the leaves to fmt's verb %+v.
package oracle

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Call calls f and prints the line that is wanted for the call: format, in which each % stands
// for an argument or, behind those, a result.
func Call(format string, f any, args ...any) {
	fn := reflect.ValueOf(f)
	var in []reflect.Value
	var texts []string
	for i, arg := range args {
		v := reflect.New(fn.Type().In(min(i, fn.Type().NumIn()-1))).Elem()
		if arg != nil {
			if fn.Type().IsVariadic() && i == len(args)-1 {
				v = reflect.New(reflect.TypeOf(arg)).Elem()
			}
			v.Set(reflect.ValueOf(arg))
		}
		in = append(in, v)
		texts = append(texts, Text(v))
	}
	var out []reflect.Value
	if fn.Type().IsVariadic() {
		out = fn.CallSlice(in)
	} else {
		out = fn.Call(in)
	}
	for _, v := range out {
		texts = append(texts, Text(addressable(v)))
	}
	Line(format, texts...)
}

// Line prints format with the texts in place of each %.
func Line(format string, texts ...string) {
	for _, text := range texts {
		format = strings.Replace(format, "%", strings.ReplaceAll(text, "%", "\x00"), 1)
	}
	fmt.Println(strings.ReplaceAll(format, "\x00", "%") + ";")
}

// Of is Text of the value in x.
func Of[T any](x T) string { return Text(reflect.ValueOf(&x).Elem()) }

// Text gives the text of an argument or a result.
func Text(v reflect.Value) string {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		return Text(addressable(v.Elem()))
	}
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return within(v)
}

// known are the types whose methods say what is printed.
func known(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() == reflect.Pointer && v.IsNil() {
		return false
	}
	switch t.String() {
	case "time.Time", "time.Duration", "time.Month", "time.Weekday", "syscall.Errno", "*errors.errorString", "*errors.joinError",
		"*fmt.wrapError", "*fmt.wrapErrors", "*fs.PathError", "*os.SyscallError", "*os.LinkError", "*exec.Error", "*strconv.NumError":
		return true
	}
	return false
}

func within(v reflect.Value) string {
	v = clean(v)
	switch v.Type().String() {
	case "context.backgroundCtx":
		return "context.Background"
	case "*context.valueCtx":
		return v.Type().String()
	}
	if v.Kind() != reflect.Interface && known(v) {
		return oneLine(fmt.Sprintf("%+v", v.Interface()))
	}
	switch v.Kind() {
	case reflect.Bool:
		return fmt.Sprintf("%+v", v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("%+v", v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprintf("%+v", v.Uint())
	case reflect.Float32:
		return fmt.Sprint(float32(v.Float()))
	case reflect.Float64:
		return fmt.Sprint(v.Float())
	case reflect.Complex64:
		return fmt.Sprint(complex64(v.Complex()))
	case reflect.Complex128:
		return fmt.Sprint(v.Complex())
	case reflect.String:
		return oneLine(v.String())
	case reflect.Interface:
		if v.IsNil() {
			return "<nil>"
		}
		return within(addressable(v.Elem()))
	case reflect.Pointer:
		if v.IsNil() {
			return "<nil>"
		}
		return "&" + within(v.Elem())
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			fields = append(fields, v.Type().Field(i).Name+":"+within(v.Field(i)))
		}
		return "{" + strings.Join(fields, " ") + "}"
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]() && isText(string(v.Bytes())) {
			return strconv.Quote(string(v.Bytes()))
		}
		var elems []string
		for i := range v.Len() {
			elems = append(elems, within(v.Index(i)))
		}
		return "[" + strings.Join(elems, " ") + "]"
	case reflect.Map:
		if v.Len() == 0 {
			return "map[]"
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			if a.Kind() == reflect.String {
				return cmp.Compare(a.String(), b.String())
			}
			return cmp.Compare(within(addressable(a)), within(addressable(b)))
		})
		var entries []string
		for _, k := range keys {
			entries = append(entries, within(addressable(k))+":"+within(addressable(v.MapIndex(k))))
		}
		return "map[" + strings.Join(entries, " ") + "]"
	case reflect.Chan:
		if v.IsNil() {
			return "<nil>"
		}
		return fmt.Sprintf("%s(len=%d cap=%d)", v.Type(), v.Len(), v.Cap())
	case reflect.Func:
		if v.IsNil() {
			return "<nil>"
		}
		return runtime.FuncForPC(v.Pointer()).Name()
	case reflect.UnsafePointer:
		if v.IsNil() {
			return "<nil>"
		}
		return fmt.Sprintf("%+v", v.UnsafePointer())
	}
	return "<nil>"
}

// isText reports whether bytes look like text.
func isText(s string) bool {
	odd := func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune("\n\r\t", r) }
	return strings.TrimSpace(s) != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, odd)
}

// oneLine quotes what does not fit into a line.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F || r == utf8.RuneError }) {
		return strconv.Quote(s)
	}
	return s
}

// addressable gives a copy whose fields can be read even if they aren't exported.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// clean forgets that v came out of an unexported field.
func clean(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return v
}

// Seq counts to n.
func Seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
