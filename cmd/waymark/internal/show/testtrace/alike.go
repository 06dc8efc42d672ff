package testtrace

import (
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/waymark-go/waymark/value"
)

// addresses differ from run to run.
var addresses = regexp.MustCompile(`0x[0-9a-f]+`)

// alike reports whether nothing tells two lists of values apart. What one of the lists lacks, or was not
// recorded of a value, is not known, and so it is not different.
func alike(a, b []value.Value) bool {
	for i := range min(len(a), len(b)) {
		if !same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// same reports whether nothing tells two values apart. Points of time, measured durations and addresses
// differ from run to run: any two of them are the same, but for zero.
func same(a, b *value.Value) bool {
	unknown := func(v *value.Value) bool { return v.State == value.Masked || v.State == value.Unread }
	switch {
	case unknown(a) || unknown(b):
		return true
	case a.State == value.Nil || b.State == value.Nil:
		return a.State == b.State
	case a.State == value.Text && b.State == value.Text:
		return sameText(a, b)
	case a.State == value.Text || b.State == value.Text:
		return true // of one of them only the text is known
	case a.Type.Kind != b.Type.Kind || a.Type.Name != b.Type.Name:
		return false
	}
	switch a.Type.Package + " " + a.Type.Name {
	case "time time.Time":
		return zeroTime(a) == zeroTime(b)
	case "time time.Duration":
		return a.Bits == b.Bits || measured(a) && b.Bits != 0 || measured(b) && a.Bits != 0
	}
	switch a.Type.Kind {
	case reflect.String:
		return sameText(a, b)
	case reflect.Uintptr, reflect.UnsafePointer:
		return (a.Bits == 0) == (b.Bits == 0)
	case reflect.Pointer:
		null := func(v *value.Value) bool { return v.IsNil || v.Bits == 0 && len(v.Elems) == 0 }
		return null(a) == null(b) && alike(a.Elems, b.Elems)
	case reflect.Slice, reflect.Array:
		return a.Len == b.Len && alike(a.Elems, b.Elems) && samePrefix(string(a.Bytes), string(b.Bytes))
	case reflect.Struct:
		return alike(a.Elems, b.Elems)
	case reflect.Map:
		return a.Len == b.Len && (a.Cut() != 0 || b.Cut() != 0 || sameEntries(a, b))
	case reflect.Chan:
		return a.IsNil == b.IsNil && a.Len == b.Len && a.Cap == b.Cap
	case reflect.Func:
		return a.IsNil == b.IsNil && a.Text == b.Text
	}
	return a.Bits == b.Bits && a.Imag == b.Imag
}

// zeroTime reports whether a time.Time is the zero Time.
func zeroTime(v *value.Value) bool {
	return len(v.Elems) >= 2 && v.Elems[0].Bits == 0 && v.Elems[1].Bits == 0
}

// measured reports whether a duration was measured, by its being no multiple of a microsecond. Those that
// programs are written with are.
func measured(v *value.Value) bool { return time.Duration(v.Bits)%time.Microsecond != 0 }

// sameText compares texts, as far as both were recorded.
func sameText(a, b *value.Value) bool {
	if a.Len == len(a.Text) && b.Len == len(b.Text) {
		return a.Text == b.Text || addresses.ReplaceAllString(a.Text, "") == addresses.ReplaceAllString(b.Text, "")
	}
	return a.Len == b.Len && samePrefix(a.Text, b.Text)
}

func samePrefix(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// sameEntries reports whether two maps whose entries were all recorded have the same.
func sameEntries(a, b *value.Value) bool {
	used := make([]bool, len(b.Elems)/2)
entries:
	for i := 0; i+1 < len(a.Elems); i += 2 {
		for j := range used {
			if !used[j] && same(&a.Elems[i], &b.Elems[2*j]) && same(&a.Elems[i+1], &b.Elems[2*j+1]) {
				used[j] = true
				continue entries
			}
		}
		return false
	}
	return true
}
