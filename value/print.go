package value

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// List prints values as a list of arguments, each with its name unless the name is _ or missing:
// (a=1, err=<nil>). rest says that values are missing at the end, which List prints as an ellipsis.
func List(values []Value, names []string, rest bool) string {
	return new(Printer).List(values, names, rest)
}

// String returns the value as %+v prints it, see the package comment. A string is quoted.
func (v Value) String() string { return new(Printer).Value(&v) }

// A Printer prints values. The zero Printer prints all that was recorded.
type Printer struct {
	Width int // columns of a value, which cut longer texts; 0 is no limit

	Masked bool // set when the Printer has printed a value with State Masked, or with such a part
}

// List does what the function List does, with the Printer's Width.
func (p *Printer) List(values []Value, names []string, rest bool) string {
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = p.Value(&values[i])
	}
	return Join(texts, names, rest)
}

// Join puts the texts of arguments together as List does.
func Join(texts, names []string, rest bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, text := range texts {
		if i > 0 {
			b.WriteString(", ")
		}
		if i < len(names) && names[i] != "_" {
			b.WriteString(names[i] + "=")
		}
		b.WriteString(text)
	}
	if rest || len(texts) < len(names) {
		if len(texts) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("…")
	}
	b.WriteByte(')')
	return b.String()
}

// Value prints a value as the method Value.String does, but not wider than p.Width. Errors are whole:
// their causes come last.
func (p *Printer) Value(v *Value) string {
	if v.State == Known && v.Type.Kind == reflect.String {
		return p.quote(v.Text, v.Cut())
	}
	if text, ok := v.text(); ok {
		return p.quote(text, v.Len-len(text))
	}
	text := p.whole(v)
	if v.State == Known && v.Type.Kind == reflect.Pointer && v.Bits != 0 && len(v.Elems) == 0 {
		text = "(" + v.Type.Name + ")(" + text + ")" // all that is known beside the type is an address
	}
	if v.isError() {
		return text
	}
	return p.cut(text)
}

// isError reports whether the name of v's type is one that Go gives errors.
func (v *Value) isError() bool {
	name := strings.ToLower(v.Type.Name)
	return strings.HasSuffix(name, "error") || strings.HasSuffix(name, "errors") || strings.HasSuffix(name, ".errorstring")
}

// Target prints a name, and behind it what the pointer v points to, as far as that was recorded.
func (p *Printer) Target(name string, v *Value) string {
	for i := range v.Elems {
		name += p.whole(&v.Elems[i])
	}
	return p.cut(name)
}

// whole prints a value as part of another one is printed.
func (p *Printer) whole(v *Value) string {
	var b printer
	b.value(v)
	p.Masked = p.Masked || b.masked
	return b.String()
}

// cut cuts text at the width.
func (p *Printer) cut(text string) string {
	if p.Width <= 0 || utf8.RuneCountInString(text) <= p.Width {
		return text
	}
	n := 0
	for i := range text {
		if n++; n == p.Width {
			return text[:i] + "…"
		}
	}
	return text
}

// quote quotes text whose last bytes were not recorded; missing is their number. It leaves out what
// the width has no room for.
func (p *Printer) quote(text string, missing int) string {
	quoted := strconv.Quote(text) + more(missing)
	if p.Width <= 0 || utf8.RuneCountInString(quoted) <= p.Width {
		return quoted
	}
	var starts []int // of characters
	for i := range text {
		if starts = append(starts, i); len(starts) == p.Width {
			break
		}
	}
	for i := len(starts) - 1; i >= 0; i-- {
		left := missing
		if missing >= 0 {
			left += len(text) - starts[i]
		}
		if quoted = strconv.Quote(text[:starts[i]]) + more(left); utf8.RuneCountInString(quoted) <= p.Width {
			break
		}
	}
	return quoted
}

// Panic prints the value of a panic, whole. If the package knows no text for the value, Panic
// prints the value's type, too, as Go does.
func (p *Printer) Panic(v *Value) string {
	if v.State == Known && v.Type.Kind == reflect.String && v.Type.Package == "" {
		return strconv.Quote(v.Text) + more(v.Cut())
	}
	t := &v.Type
	if _, ok := known(v); ok || v.State != Known || t.Package == "" && t.Kind != reflect.Pointer {
		return p.whole(v)
	}
	var unlimited Printer
	whole := unlimited.Value(v)
	p.Masked = p.Masked || unlimited.Masked
	switch {
	case t.Kind == reflect.Struct && len(t.Fields) > 0:
		return t.Name + whole
	case t.Kind == reflect.Struct:
		return whole
	case t.Kind == reflect.Pointer && len(v.Elems) == 1 && v.Elems[0].Type.Kind == reflect.Struct:
		return "&" + p.Panic(&v.Elems[0])
	case t.Kind == reflect.Pointer:
		return "(" + t.Name + ")(" + whole + ")"
	}
	return t.Name + "(" + whole + ")"
}

// more returns the mark for n missing bytes, elements or entries.
func more(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 0: // a torn length
		return "…"
	}
	return "…+" + strconv.Itoa(n)
}

type printer struct {
	strings.Builder
	masked bool
}

func (p *printer) value(v *Value) {
	switch v.State {
	case Nil:
		p.WriteString("<nil>")
		return
	case Masked:
		p.WriteString("***")
		p.masked = true
		return
	case Unread:
		p.WriteString("?")
		return
	case Text:
		p.text(v.Text)
		p.WriteString(more(v.Len - len(v.Text)))
		return
	}
	if text, ok := known(v); ok {
		p.text(text)
		return
	}
	switch k := v.Type.Kind; k {
	case reflect.Bool:
		p.WriteString(strconv.FormatBool(v.Bits != 0))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.WriteString(strconv.FormatInt(int64(v.Bits), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.WriteString(strconv.FormatUint(v.Bits, 10))
	case reflect.Float32:
		fmt.Fprint(p, math.Float32frombits(uint32(v.Bits)))
	case reflect.Float64:
		fmt.Fprint(p, math.Float64frombits(v.Bits))
	case reflect.Complex64:
		fmt.Fprint(p, complex(math.Float32frombits(uint32(v.Bits)), math.Float32frombits(uint32(v.Imag))))
	case reflect.Complex128:
		fmt.Fprint(p, complex(math.Float64frombits(v.Bits), math.Float64frombits(v.Imag)))
	case reflect.String:
		p.text(v.Text)
		p.WriteString(more(v.Cut()))
	case reflect.Struct:
		p.structure(v)
	case reflect.Slice, reflect.Array:
		p.elements(v)
	case reflect.Pointer:
		p.pointer(v)
	case reflect.Map:
		p.entries(v)
	case reflect.UnsafePointer:
		p.address(v.Bits)
	case reflect.Chan:
		if v.IsNil {
			p.WriteString("<nil>")
		} else {
			name := v.Type.Name
			if name == "" {
				name = "chan" // package reflect has made it
			}
			fmt.Fprintf(p, "%s(len=%d cap=%d)", name, v.Len, v.Cap)
		}
	case reflect.Func:
		if v.IsNil {
			p.WriteString("<nil>")
		} else {
			p.WriteString(v.Text)
		}
	}
}

// text prints a string within a value: quoted only if its characters would break the line.
func (p *printer) text(s string) {
	for _, r := range s {
		if r < ' ' || r == 0x7F || r == utf8.RuneError {
			p.WriteString(strconv.Quote(s))
			return
		}
	}
	p.WriteString(s)
}

func (p *printer) structure(v *Value) {
	if t := v.Type; len(t.Fields) == 1 && t.Fields[0].Masked && t.Fields[0].Name == "***" { // the type's values aren't to be seen
		p.WriteString("***")
		p.masked = true
		return
	}
	if v.dynamic && len(v.Type.Fields) == 0 && v.Type.Package != "" {
		p.WriteString(v.Type.Name) // nothing else is known of the value
	}
	p.WriteByte('{')
	for i := range v.Elems {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(v.Type.Fields[i].Name + ":")
		p.value(&v.Elems[i])
	}
	if v.Cut() > 0 {
		if len(v.Elems) > 0 {
			p.WriteByte(' ')
		}
		p.WriteString("…")
	}
	p.WriteByte('}')
}

// text returns what a byte slice holds, if that is text. A character of which a cut has left a part
// is not in the text.
func (v *Value) text() (string, bool) {
	if v.State != Known || v.Type.Kind != reflect.Slice || !v.bytes || len(v.Bytes) == 0 {
		return "", false
	}
	graphic, i := false, 0
	for i < len(v.Bytes) {
		r, size := utf8.DecodeRune(v.Bytes[i:])
		if r == utf8.RuneError && size == 1 {
			if v.Cut() != 0 && !utf8.FullRune(v.Bytes[i:]) {
				break
			}
			return "", false
		}
		if !strconv.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' {
			return "", false
		}
		graphic = graphic || strconv.IsGraphic(r) && r != ' '
		i += size
	}
	return string(v.Bytes[:i]), graphic
}

func (p *printer) elements(v *Value) {
	if text, ok := v.text(); ok {
		p.WriteString(strconv.Quote(text) + more(v.Len-len(text)))
		return
	}
	p.WriteByte('[')
	n := 0
	separate := func() {
		if n > 0 {
			p.WriteByte(' ')
		}
		n++
	}
	for i := range v.Elems {
		separate()
		p.value(&v.Elems[i])
	}
	for _, b := range v.Bytes {
		separate()
		p.WriteString(strconv.Itoa(int(b)))
	}
	if cut := v.Cut(); cut != 0 {
		separate()
		p.WriteString(more(cut))
	}
	p.WriteByte(']')
}

// entries prints the recorded entries of a map in the order of their keys.
func (p *printer) entries(v *Value) {
	order := make([]int, len(v.Elems)/2)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareKeys(&v.Elems[2*i], &v.Elems[2*j]) })
	p.WriteString("map[")
	for n, i := range order {
		if n > 0 {
			p.WriteByte(' ')
		}
		p.value(&v.Elems[2*i])
		p.WriteByte(':')
		p.value(&v.Elems[2*i+1])
	}
	if cut := v.Cut(); cut != 0 {
		if len(order) > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(more(cut))
	}
	p.WriteByte(']')
}

// compareKeys compares integers, floats and strings as fmt does, and other keys by their texts.
func compareKeys(a, b *Value) int {
	if a.Type.Kind != b.Type.Kind {
		return cmp.Compare(a.Type.Kind, b.Type.Kind)
	}
	if a.State == Known && b.State == Known {
		switch a.Type.Kind {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return cmp.Compare(int64(a.Bits), int64(b.Bits))
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			return cmp.Compare(a.Bits, b.Bits)
		case reflect.Float32:
			return cmp.Compare(math.Float32frombits(uint32(a.Bits)), math.Float32frombits(uint32(b.Bits)))
		case reflect.Float64:
			return cmp.Compare(math.Float64frombits(a.Bits), math.Float64frombits(b.Bits))
		case reflect.String:
			return cmp.Compare(a.Text, b.Text)
		}
	}
	return cmp.Compare(a.String(), b.String())
}

func (p *printer) pointer(v *Value) {
	if len(v.Elems) == 0 {
		p.address(v.Bits)
		return
	}
	p.WriteByte('&')
	p.value(&v.Elems[0])
}

func (p *printer) address(a uint64) {
	if a == 0 {
		p.WriteString("<nil>")
	} else {
		p.WriteString("0x" + strconv.FormatUint(a, 16))
	}
}
