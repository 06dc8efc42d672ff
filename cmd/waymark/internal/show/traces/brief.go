package traces

import (
	"go/token"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/value"
)

// mostBrief is how many columns the arguments in a row take.
const mostBrief = 120

// brief returns the arguments of a call for a row of a list, where they tell calls apart: strings
// and numbers come first. Of other values there are the strings and numbers inside, as far as the
// function can name them. Receivers are left out.
func brief(values *value.Printer, p *recording.Process, c *calltree.Call) string {
	fn, _ := p.File.Func(c.Site)
	list, err := value.Decode(c.Args, p.File.Type)
	var first, rest []string
	left := err != nil || len(list) < len(fn.Args)
	for i := range list {
		v, name := &list[i], ""
		if i < len(fn.Args) && fn.Args[i] != "_" {
			name = fn.Args[i] + "="
		}
		switch {
		case i == 0 && recorded.HasPointerReceiver(fn.Name):
		case v.State != value.Known || scalar(v):
			first = append(first, name+values.Value(v))
		default:
			if text := inside(v, fn.Package); text != "" {
				rest = append(rest, name+text)
			} else {
				left = true
			}
		}
	}
	for _, text := range rest {
		first = append(first, cut(text, mostBrief/len(rest)))
	}
	if left {
		first = append(first, "…")
	}
	return "(" + cut(strings.Join(first, ", "), mostBrief) + ")"
}

func scalar(v *value.Value) bool {
	k := v.Type.Kind
	return k == reflect.String || k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
}

// inside returns the strings and numbers in a value that are not zero, with the names of their
// fields; "" if there are none. It leaves out unexported fields, unless they are of the package from.
func inside(v *value.Value, from string) string {
	switch {
	case v.State != value.Known && v.State != value.Text:
		return ""
	case v.State == value.Text, scalar(v):
		if text := v.String(); v.Bits != 0 || v.Len != 0 {
			return text
		}
	case v.Type.Kind == reflect.Pointer && len(v.Elems) == 1:
		return inside(&v.Elems[0], from)
	case v.Type.Kind == reflect.Struct:
		if text := v.String(); !strings.HasPrefix(text, "{") { // as of a time
			return text
		}
		var fields []string
		for i := range v.Elems {
			name := v.Type.Fields[i].Name
			if !token.IsExported(name) && v.Type.Package != from {
				continue
			}
			if text := inside(&v.Elems[i], from); text != "" {
				fields = append(fields, name+":"+text)
			}
		}
		if len(fields) > 0 {
			return "{" + strings.Join(fields, " ") + "}"
		}
	}
	return ""
}

// cut returns a text of at most so many columns; 0 is no limit.
func cut(text string, columns int) string {
	if columns <= 0 || utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}
